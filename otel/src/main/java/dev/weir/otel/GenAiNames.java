package dev.weir.otel;

import dev.weir.model.StopReason;
import io.opentelemetry.api.common.AttributeKey;
import java.util.List;
import java.util.Optional;

/**
 * OpenTelemetry's names for generative AI, in the two versions that are in use. They are still
 * being renamed: each name that is sent is here, and nowhere else.
 *
 * <p>{@link #BASELINE} is what the conventions ask instrumentations to send unless told otherwise,
 * version 1.36 of the common conventions. {@link #LATEST} is the document of the conventions for
 * generative AI, which have a repository of their own since 2026 and no release yet.
 */
enum GenAiNames {
  BASELINE,
  LATEST;

  /** The category that asks for {@link #LATEST} in {@code OTEL_SEMCONV_STABILITY_OPT_IN}. */
  static final String OPT_IN = "gen_ai_latest_experimental";

  // Both versions.

  static final String DURATION = "gen_ai.client.operation.duration";
  static final String DURATION_UNIT = "s";
  static final String TOKENS = "gen_ai.client.token.usage";
  static final String TOKENS_UNIT = "{token}";

  /** As recommended, and on: models that reason take longer than 82 s. */
  static final List<Double> DURATION_BUCKETS =
      List.of(
          0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
          163.84, 327.68, 655.36);

  static final List<Long> TOKEN_BUCKETS =
      List.of(
          1L, 4L, 16L, 64L, 256L, 1024L, 4096L, 16384L, 65536L, 262144L, 1048576L, 4194304L,
          16777216L, 67108864L);

  static final String CHAT = "chat";
  static final AttributeKey<String> OPERATION = AttributeKey.stringKey("gen_ai.operation.name");
  static final AttributeKey<String> REQUEST_MODEL = AttributeKey.stringKey("gen_ai.request.model");
  static final AttributeKey<Double> TEMPERATURE =
      AttributeKey.doubleKey("gen_ai.request.temperature");
  static final AttributeKey<Double> TOP_P = AttributeKey.doubleKey("gen_ai.request.top_p");
  static final AttributeKey<Long> MAX_TOKENS = AttributeKey.longKey("gen_ai.request.max_tokens");
  static final AttributeKey<Long> SEED = AttributeKey.longKey("gen_ai.request.seed");
  static final AttributeKey<List<String>> FINISH_REASONS =
      AttributeKey.stringArrayKey("gen_ai.response.finish_reasons");
  static final AttributeKey<Long> INPUT_TOKENS = AttributeKey.longKey("gen_ai.usage.input_tokens");
  static final AttributeKey<Long> OUTPUT_TOKENS =
      AttributeKey.longKey("gen_ai.usage.output_tokens");
  static final AttributeKey<String> TOKEN_TYPE = AttributeKey.stringKey("gen_ai.token.type");
  static final String INPUT = "input";
  static final String OUTPUT = "output";

  // The latest version only.

  static final AttributeKey<Boolean> STREAM = AttributeKey.booleanKey("gen_ai.request.stream");
  static final AttributeKey<Long> CACHE_READ_TOKENS =
      AttributeKey.longKey("gen_ai.usage.cache_read.input_tokens");
  static final AttributeKey<Long> CACHE_WRITE_TOKENS =
      AttributeKey.longKey("gen_ai.usage.cache_creation.input_tokens");
  static final AttributeKey<Long> REASONING_TOKENS =
      AttributeKey.longKey("gen_ai.usage.reasoning.output_tokens");
  static final AttributeKey<String> INPUT_MESSAGES =
      AttributeKey.stringKey("gen_ai.input.messages");
  static final AttributeKey<String> OUTPUT_MESSAGES =
      AttributeKey.stringKey("gen_ai.output.messages");

  // The baseline only: events with what is asked and answered.

  static final String SYSTEM_EVENT = "gen_ai.system.message";
  static final String USER_EVENT = "gen_ai.user.message";
  static final String ASSISTANT_EVENT = "gen_ai.assistant.message";
  static final String TOOL_EVENT = "gen_ai.tool.message";
  static final String CHOICE_EVENT = "gen_ai.choice";

  // Names of the stable conventions.

  static final AttributeKey<String> SERVER_ADDRESS = AttributeKey.stringKey("server.address");
  static final AttributeKey<Long> SERVER_PORT = AttributeKey.longKey("server.port");
  static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");
  static final AttributeKey<Long> STATUS = AttributeKey.longKey("http.response.status_code");
  static final AttributeKey<Long> RESENDS = AttributeKey.longKey("http.request.resend_count");

  // Weir's own: there are no conventions for queues.

  static final AttributeKey<Double> QUEUED = AttributeKey.doubleKey("weir.call.queue_time");
  static final AttributeKey<Double> BACKED_OFF = AttributeKey.doubleKey("weir.call.backoff_time");
  static final AttributeKey<Long> ATTEMPTS = AttributeKey.longKey("weir.call.attempts");
  static final AttributeKey<Boolean> BATCHED = AttributeKey.booleanKey("weir.call.batched");

  // Those that differ.

  private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("gen_ai.system");
  private static final AttributeKey<String> PROVIDER =
      AttributeKey.stringKey("gen_ai.provider.name");

  /** The version of the conventions, if it has an address. */
  Optional<String> schemaUrl() {
    return switch (this) {
      case BASELINE -> Optional.of("https://opentelemetry.io/schemas/1.36.0");
      case LATEST -> Optional.empty();
    };
  }

  AttributeKey<String> provider() {
    return switch (this) {
      case BASELINE -> SYSTEM;
      case LATEST -> PROVIDER;
    };
  }

  /** What an engine is called: {@code aws.bedrock} for {@code bedrock}. */
  String provider(String engine) {
    return switch (engine) {
      case "azure" -> named("az.ai.openai", "azure.ai.openai");
      case "bedrock" -> "aws.bedrock";
      case "google" -> "gcp.gemini";
      case "mistral" -> "mistral_ai";
      case "vertex" -> "gcp.vertex_ai";
      case "xai" -> named("xai", "x_ai");
      default -> engine;
    };
  }

  String finishReason(StopReason reason) {
    return switch (reason) {
      case MAX_TOKENS -> "length";
      case TOOL_CALLS -> named("tool_calls", "tool_call");
      case STOP, CONTENT_FILTER, UNKNOWN -> reason.word();
    };
  }

  private String named(String baseline, String latest) {
    return this == BASELINE ? baseline : latest;
  }
}
