package dev.weir.log;

import dev.weir.log.inspect.SampleId;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/** Ids of samples as JSON: one list of texts and numbers, as they are. */
final class SampleIdsJson {

  static final SimpleModule MODULE =
      new SimpleModule("sample ids")
          .addSerializer(SampleIds.class, new Writer())
          .addDeserializer(SampleIds.class, new Reader());

  private SampleIdsJson() {}

  private static final class Writer extends StdSerializer<SampleIds> {

    Writer() {
      super(SampleIds.class);
    }

    @Override
    public void serialize(SampleIds ids, JsonGenerator out, SerializationContext context) {
      out.writeStartArray();
      for (String id : ids.texts()) {
        if (ids.isNumber(id)) {
          out.writeNumber(new BigInteger(id));
        } else {
          out.writeString(id);
        }
      }
      out.writeEndArray();
    }
  }

  private static final class Reader extends StdDeserializer<SampleIds> {

    Reader() {
      super(SampleIds.class);
    }

    @Override
    public SampleIds deserialize(JsonParser in, DeserializationContext context) {
      if (!in.isExpectedStartArrayToken()) {
        in.skipChildren();
        return SampleIds.NONE;
      }
      List<SampleId> ids = new ArrayList<>();
      for (JsonToken next = in.nextToken(); next != JsonToken.END_ARRAY; next = in.nextToken()) {
        ids.add(new SampleId(in.getValueAsString(""), next == JsonToken.VALUE_NUMBER_INT));
        in.skipChildren();
      }
      return SampleIds.of(ids);
    }
  }
}
