package dev.weir.cli;

import dev.weir.eval.option.TraceOptions.LogLevel;
import dev.weir.log.trace.TraceRecord;
import dev.weir.model.Printable;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Shows what happens call by call, as much of it as was asked for. Thread-safe. */
final class LiveLog implements BiConsumer<LogLevel, TraceRecord> {

  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneId.systemDefault());

  /** In a scope: the account, of which nobody but the limits wants to know. */
  private static final Pattern ACCOUNT = Pattern.compile("@[^/]*");

  private static final Pattern REFUSED =
      Pattern.compile("connection to (\\S+): .*Connection refused.*", Pattern.DOTALL);
  private static final Pattern UNKNOWN_HOST =
      Pattern.compile(
          "connection to (\\S+): .*(?:there is no host|UnknownHostException|Name or service"
              + " not known).*",
          Pattern.DOTALL);

  /** An HTTP status: there was an answer. */
  private static final Pattern STATUS = Pattern.compile("(?:HTTP )?[45]\\d\\d\\b");

  private static final Pattern CLASS_NAME = Pattern.compile("(?:[a-z0-9]+\\.){2,}[A-Z]\\w*: ");

  private final Surroundings surroundings;
  // Set once it is known; the task file may say it.
  private volatile LogLevel level = LogLevel.WARNING;
  private volatile @Nullable Display display;

  LiveLog(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  void show(LogLevel least) {
    level = least;
  }

  /** Lines must not be written into the one that moves. */
  void beside(Display moving) {
    display = moving;
  }

  @Override
  public void accept(LogLevel of, TraceRecord record) {
    if (!level.shows(of)) {
      return;
    }
    say(line(record));
  }

  /** Shows a line on standard error, beside what moves. */
  void say(String line) {
    Display moving = display;
    if (moving == null) {
      surroundings.err().println(line);
    } else {
      moving.above(line);
    }
  }

  static String line(TraceRecord record) {
    return CLOCK.format(record.at()) + " " + Printable.line(words(record));
  }

  /** As it is in the trace, event and scope included: it can be filtered by what it shows. */
  static String traced(TraceRecord record) {
    return CLOCK.format(record.at()) + " " + Printable.line(record.line());
  }

  /** As people say it; what is in the trace is for those who look closer. */
  private static String words(TraceRecord record) {
    String asked = detail(record, "model");
    String model = asked.isEmpty() ? ACCOUNT.matcher(record.scope()).replaceFirst("") : asked;
    return switch (record.event()) {
      case "circuit:opened" ->
          "%s %s%s. Weir probes it periodically and continues once it answers; --timeout bounds how long a call waits, and Ctrl+C ends the run."
              .formatted(
                  model,
                  STATUS.matcher(detail(record, "why")).lookingAt()
                      ? "answers only with errors"
                      : "does not answer",
                  reason(detail(record, "why")));
      case "circuit:closed" -> model + " answers again.";
      case "scope:stopped" -> "%s: no more calls: %s".formatted(model, detail(record, "reason"));
      default -> record.line();
    };
  }

  private static String detail(TraceRecord record, String name) {
    return String.valueOf(record.details().getOrDefault(name, ""));
  }

  private static String reason(String why) {
    Matcher refused = REFUSED.matcher(why);
    if (refused.matches()) {
      return ": nothing listens at %s; start the server, or say where it is with --model-base-url"
          .formatted(refused.group(1));
    }
    Matcher unknown = UNKNOWN_HOST.matcher(why);
    if (unknown.matches()) {
      return ": the host of %s is not known; check the address (--model-base-url), or the network"
          .formatted(unknown.group(1));
    }
    return why.isEmpty() ? "" : ": " + CLASS_NAME.matcher(why).replaceAll("");
  }
}
