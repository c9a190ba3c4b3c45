package dev.weir.eval.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.model.ConfigurationException;
import dev.weir.model.Content;
import dev.weir.model.Message;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the columns of a row become. */
class SampleFieldsTest {

  private static final DatasetSpec SPEC = DatasetSpec.DEFAULT;

  @TempDir Path directory;

  private List<Sample> read(String name, String content, DatasetSpec spec) throws IOException {
    return DatasetFile.read(Files.writeString(directory.resolve(name), content), spec).samples();
  }

  private Sample only(String json) throws IOException {
    List<Sample> samples = read("a.json", json, SPEC);
    assertThat(samples).hasSize(1);
    return samples.getFirst();
  }

  private void refuses(String name, String content, DatasetSpec spec, String... explanation) {
    assertThatExceptionOfType(ConfigurationException.class)
        .isThrownBy(() -> read(name, content, spec))
        .satisfies(thrown -> assertThat(thrown).hasMessageContainingAll(explanation))
        .withMessageContaining(name);
  }

  @Test
  void allFieldsAreReadFromJson() throws IOException {
    Files.writeString(directory.resolve("data.txt"), "x");
    Files.writeString(directory.resolve("setup.sh"), "echo ready\n");
    Sample sample =
        only(
            """
            {"id": 7, "input": "Which?", "target": ["B", 4, 1.50], "choices": ["Nile", 3],
             "metadata": {"topic": "rivers", "level": 2, "ratio": 0.5, "tags": ["a"], "none": null},
             "files": {"in.txt": "data.txt", "note.txt": "some words", "copy": "file:data.txt"},
             "setup": "setup.sh", "other": 1}
            """);
    assertThat(sample.id()).isEqualTo("7");
    assertThat(sample.targets()).containsExactly("B", "4", "1.50");
    assertThat(sample.choices()).containsExactly("Nile", "3");
    assertThat(sample.metadata())
        .containsEntry("topic", "rivers")
        .containsEntry("level", 2L)
        .containsEntry("ratio", new BigDecimal("0.5"))
        .containsEntry("tags", List.of("a"))
        .containsEntry("none", null)
        .hasSize(5);
    String data = "file:" + directory.toAbsolutePath().resolve("data.txt");
    assertThat(sample.files())
        .isEqualTo(Map.of("in.txt", data, "note.txt", "some words", "copy", data));
    assertThat(sample.setup()).contains("echo ready\n");
    assertThat(sample.messages()).isEmpty();
  }

  @Test
  void conversationsAreRead() throws IOException {
    Sample sample =
        only(
            """
            {"input": [{"role": "system", "content": "Be brief."},
                       {"role": "user", "content": "Hi"},
                       {"role": "assistant", "content": "Hello."},
                       {"role": "user", "content": [{"type": "text", "text": "What is it?"},
                          {"type": "image", "image": "data:image/png;base64,AAAA"}]}],
             "target": "x"}
            """);
    assertThat(sample.input()).isEqualTo("What is it?");
    assertThat(sample.conversation())
        .containsExactly(
            Message.instructions("Be brief."),
            Message.user("Hi"),
            Message.assistant("Hello."),
            new Message.User(
                List.of(new Content.Text("What is it?"), Content.Image.data("image/png", "AAAA"))));
  }

  @Test
  void cellsOfATableHoldListsAndMappingsAsJson() throws IOException {
    List<Sample> samples =
        read(
            "a.csv",
            "input,target,choices,metadata\n"
                + "\"[{\"\"role\"\": \"\"user\"\", \"\"content\"\": \"\"Hi\"\"}]\",a,"
                + "\"[\"\"one, two\"\", \"\"three\"\"]\",\"{\"\"level\"\": 2}\"\n"
                + "[x] marks it,b,\"red, green\",\n",
            SPEC);
    assertThat(samples.getFirst().messages()).containsExactly(Message.user("Hi"));
    assertThat(samples.getFirst().choices()).containsExactly("one, two", "three");
    assertThat(samples.getFirst().metadata()).isEqualTo(Map.of("level", 2L));
    assertThat(samples.get(1).input()).isEqualTo("[x] marks it");
    assertThat(samples.get(1).messages()).isEmpty();
    assertThat(samples.get(1).choices()).containsExactly("red", "green");
  }

  @Test
  void columnsAreMapped() throws IOException {
    Fields fields =
        Fields.DEFAULT
            .with("input", List.of("question"))
            .with("target", List.of("answer"))
            .with("choices", List.of("A", "B", "C"))
            .with("metadata", List.of("topic"));
    String table = "question,answer,A,B,C,topic,other\nWhich?,B,Nile,Rhine,,rivers,1\n";
    assertThat(read("a.csv", table, SPEC.withFields(fields)))
        .containsExactly(
            new Sample(
                "1",
                "Which?",
                List.of(),
                List.of("B"),
                List.of("Nile", "Rhine"),
                Map.of("topic", "rivers"),
                Map.of(),
                Optional.empty(),
                true));
    assertThat(
            read(
                    "b.csv",
                    table,
                    SPEC.withFields(fields.with("metadata", List.of(Fields.ALL_OTHERS))))
                .getFirst()
                .metadata())
        .isEqualTo(Map.of("topic", "rivers", "other", "1"));
  }

  @Test
  void aMappedColumnThatIsNowhereIsTold() {
    Fields fields = Fields.DEFAULT.with("input", List.of("question"));
    refuses(
        "a.csv",
        "qestion,target\na,b\n",
        SPEC.withFields(fields),
        "line 2",
        "no `question`, which `fields.input` names; did you mean 'qestion'?");
    refuses(
        "b.csv",
        "x,target\na,b\n",
        SPEC.withFields(fields),
        "line 2",
        "no `question`, which `fields.input` names");
    refuses(
        "c.csv",
        "input,target,topik\na,b,c\n",
        SPEC.withFields(Fields.DEFAULT.with("metadata", List.of("topic"))),
        "no row has the column 'topic'",
        "did you mean 'topik'?");
  }

  @Test
  void targetsMayBeMissingWhereNoneIsNeeded() throws IOException {
    DatasetSpec without = SPEC.withTargetsRequired(false);
    assertThat(read("a.csv", "input\na\n", without).getFirst().targets()).isEmpty();
    assertThat(read("b.csv", "input,target\na,\nb,c\n", without))
        .extracting(Sample::targets)
        .containsExactly(List.of(), List.of("c"));
    refuses("c.csv", "input\na\n", SPEC, "line 2", "has no `target`");
    refuses("d.json", "[{\"input\": \"a\", \"target\": []}]", SPEC, "has no `target`");
  }

  @Test
  void valuesOfTheWrongKindAreTold() {
    refuses("a.json", "{\"input\":{},\"target\":1}", SPEC, "line 1", "`input` must be text");
    refuses("b.json", "{\"input\":\"a\",\"target\":{}}", SPEC, "`target` must be text");
    refuses("c.json", "{\"input\":\"a\",\"target\":[[1]]}", SPEC, "`target` must be text");
    refuses("d.json", row("\"id\": [1]"), SPEC, "`id` must be text or a number");
    refuses("e.json", row("\"choices\": 5"), SPEC, "`choices` must be a list of texts");
    refuses("f.json", row("\"metadata\": \"x\""), SPEC, "`metadata` must be a mapping");
    refuses("g.json", row("\"files\": [1]"), SPEC, "`files` must be a mapping");
    refuses("h.json", row("\"files\": {\"a\": {}}"), SPEC, "what 'a' holds must be text");
    refuses("i.json", row("\"files\": {\"a\": \"file:gone\"}"), SPEC, "no such file", "gone");
    refuses("j.json", row("\"setup\": \"file:gone.sh\""), SPEC, "`setup`", "no such file");
    refuses(
        "k.json",
        "{\"input\": [{\"role\": \"usr\", \"content\": \"a\"}], \"target\": 1}",
        SPEC,
        "`input`, message 1: there is no role 'usr'; did you mean 'user'?");
    refuses(
        "l.json",
        "{\"input\": [{\"role\": \"user\"}], \"target\": 1}",
        SPEC,
        "message 1 has no `content`");
    refuses(
        "m.json",
        "{\"input\": [{\"role\": \"user\", \"contents\": \"a\"}], \"target\": 1}",
        SPEC,
        "unknown key 'contents'");
    refuses(
        "n.json",
        "{\"input\": [{\"role\": \"user\", \"content\": [{\"type\": \"audio\"}]}], \"target\": 1}",
        SPEC,
        "a part of `content` must be");
  }

  private static String row(String more) {
    return "{\"input\": \"a\", \"target\": \"b\", %s}".formatted(more);
  }

  @Test
  void textsNameNoFilesOutsideUnlessTheySaySo() throws IOException {
    Path inner = Files.createDirectory(directory.resolve("inner"));
    Path secret = Files.writeString(directory.resolve("secret.txt"), "x");
    String rows =
        "{\"input\": \"a\", \"target\": \"b\", \"files\": {\"a\": \"../secret.txt\", \"b\": \"%s\","
                .formatted(secret.toAbsolutePath())
            + " \"c\": \"file:../secret.txt\"}}";
    Map<String, String> files =
        DatasetFile.read(Files.writeString(inner.resolve("a.jsonl"), rows))
            .samples()
            .getFirst()
            .files();
    assertThat(files)
        .containsEntry("a", "../secret.txt")
        .containsEntry("b", secret.toAbsolutePath().toString())
        .containsEntry("c", "file:" + secret.toAbsolutePath());
  }

  @Test
  void idsAreNumbersWhereAsked() throws IOException {
    String table = "id,input,target\nx,a,b\nx,c,d\n";
    assertThat(read("a.csv", table, SPEC.withAutoId(true)))
        .extracting(Sample::id)
        .containsExactly("1", "2");
    refuses("b.csv", table, SPEC, "line 3", "'x' is taken by line 2", "auto_id");
  }

  @Test
  void selectionsAreMadeInOrder() throws IOException {
    StringBuilder table = new StringBuilder("id,input,target\n");
    for (int i = 1; i <= 50; i++) {
      table.append("q").append(i).append(",a,b\n");
    }
    assertThat(ids(table, new Selection(List.of(), Optional.empty(), 11, 12)))
        .containsExactly("q11", "q12");
    assertThat(ids(table, new Selection(List.of("q4*", "q1"), Optional.empty(), 1, 3)))
        .containsExactly("q1", "q4", "q40");
    List<String> shuffled = ids(table, new Selection(List.of(), Optional.of(7L), 1, 50));
    assertThat(shuffled).hasSize(50).doesNotHaveDuplicates().isNotEqualTo(sorted(shuffled));
    assertThat(ids(table, new Selection(List.of(), Optional.of(7L), 1, 5)))
        .isEqualTo(shuffled.subList(0, 5));
    refuses(
        "b.csv",
        table.toString(),
        SPEC.withSelection(new Selection(List.of("p3"), Optional.empty(), 1, 9)),
        "no sample with the id 'p3'");
    refuses(
        "c.csv",
        table.toString(),
        SPEC.withSelection(new Selection(List.of(), Optional.empty(), 51, 60)),
        "begins at sample 51, but there are only 50");
  }

  private List<String> ids(StringBuilder table, Selection selection) throws IOException {
    return read("a.csv", table.toString(), SPEC.withSelection(selection)).stream()
        .map(Sample::id)
        .toList();
  }

  private static List<String> sorted(List<String> ids) {
    return ids.stream()
        .sorted(Comparator.comparingInt(id -> Integer.parseInt(id.substring(1))))
        .toList();
  }

  @Test
  void aBreakFarDownIsFoundBeforeAnythingRuns() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 1; i <= 90_000; i++) {
      lines.append("{\"input\": \"Question ").append(i).append("?\", \"target\": \"x\"}\n");
    }
    refuses("a.jsonl", lines + "{\"input\": 1}\n", SPEC, "line 90001", "has no `target`");
    refuses("b.jsonl", lines + "{\"input\": \n", SPEC, "line 90001", "ends within a value");
  }
}
