package dev.weir.providers.http;

import dev.weir.limits.retry.Outcome;
import dev.weir.model.Origin;
import dev.weir.model.Printable;
import dev.weir.model.Response;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.regex.Pattern;
import java.util.zip.ZipException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.MalformedChunkCodingException;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.TruncatedChunkException;
import org.jspecify.annotations.Nullable;

/**
 * What it means that an exchange broke.
 *
 * @param endpoint the address of the server
 * @param said what broke, without credentials
 */
record ConnectionFailure(IOException failed, String endpoint, String said, Origin origin) {

  private static final Pattern EXCEPTION = Pattern.compile("(?:[a-z0-9]+\\.){2,}[A-Z]\\w*: ");

  Response.Failure meaning() {
    if (failed instanceof TooLargeException) {
      return new Response.UnreadableReply(status() + failed.getMessage(), origin);
    }
    if (failed instanceof ZipException) {
      return new Response.UnreadableReply(
          "%sthe reply cannot be unpacked: %s".formatted(status(), words()), origin);
    }
    if (failed.getCause() instanceof IllegalArgumentException) {
      return new Response.InvalidRequest(
          "%s cannot be asked: %s".formatted(endpoint, words()), Outcome.Reach.MODEL, origin);
    }
    String advice = tlsAdvice();
    if (advice != null) {
      return new Response.Authentication(
          "no secure connection to %s: %s (%s)".formatted(endpoint, advice, words()),
          Outcome.Reach.ACCOUNT,
          origin);
    }
    if (failed instanceof MessageConstraintException || failed instanceof ClientProtocolException) {
      return new Response.UnreadableReply(
          "%s does not answer as HTTP servers do (%s); is the base URL right, https or http?"
              .formatted(endpoint, words()),
          origin);
    }
    return new Response.Transient(
        "%s%s %s: %s".formatted(status(), kind(), endpoint, words()), origin, contact());
  }

  private Outcome.Contact contact() {
    if (origin.status().isPresent()) {
      return Outcome.Contact.ANSWERED;
    }
    // A server that accepts a connection is there, even if it is slow.
    return failed instanceof SocketTimeoutException && !(failed instanceof ConnectTimeoutException)
        ? Outcome.Contact.SILENT
        : Outcome.Contact.UNREACHED;
  }

  private String kind() {
    return switch (failed) {
      case SocketTimeoutException _ -> "no answer in time from";
      case NoHttpResponseException _ -> "connection closed before an answer by";
      case TruncatedChunkException _ -> "the answer broke off, from";
      case MalformedChunkCodingException _ -> "the answer broke off, from";
      case ConnectionClosedException _ -> "the answer broke off, from";
      default -> "connection to";
    };
  }

  /** Known if it broke after the headers. */
  private String status() {
    return origin.status().isPresent() ? origin.status().getAsInt() + ": " : "";
  }

  /** Names of exceptions tell a user nothing that the words after them do not. */
  private String words() {
    String plain = EXCEPTION.matcher(Printable.line(said)).replaceAll("");
    return PageText.line(plain.isBlank() ? Printable.line(said) : plain, 300);
  }

  /** What to do about a connection that will never be secure; nothing if it merely broke. */
  private @Nullable String tlsAdvice() {
    if (!(failed instanceof SSLException)) {
      return null;
    }
    if (isCausedBy(CertPathBuilderException.class)
        || isCausedBy(CertPathValidatorException.class)) {
      return "its certificate is not trusted; if it is your own, or that of a proxy which looks"
          + " inside, set WEIR_CA_BUNDLE to a PEM file with its authority";
    }
    if (failed instanceof SSLPeerUnverifiedException || isCausedBy(CertificateException.class)) {
      return "its certificate is not for this host; is the base URL right?";
    }
    if (String.valueOf(failed.getMessage()).contains("unrecognized SSL message")) {
      return "it does not speak TLS; should the base URL begin with http://?";
    }
    boolean broke =
        isCausedBy(SocketException.class)
            || isCausedBy(EOFException.class)
            || isCausedBy(SocketTimeoutException.class);
    return failed instanceof SSLHandshakeException && !broke
        ? "the two do not agree on how; is the base URL right?"
        : null;
  }

  private boolean isCausedBy(Class<? extends Exception> type) {
    int depth = 0;
    for (Throwable cause = failed; cause != null && depth < 20; cause = cause.getCause()) {
      if (type.isInstance(cause)) {
        return true;
      }
      depth++;
    }
    return false;
  }
}
