package dev.weir.providers.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ServerSocketFactory;

/** A server on a real socket that says what a test tells it, to the byte. */
final class ScriptedServer implements AutoCloseable {

  /** What happens on one connection; it is closed afterwards. */
  interface Script {
    void play(Connection connection) throws Exception;
  }

  private final ServerSocket listening;
  private final String scheme;
  private final Script script;
  private final AtomicInteger connections = new AtomicInteger();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<Socket> open = new CopyOnWriteArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);

  private ScriptedServer(ServerSocket listening, String scheme, Script script) {
    this.listening = listening;
    this.scheme = scheme;
    this.script = script;
    Thread.ofVirtual().start(this::accept);
  }

  static ScriptedServer start(Script script) throws IOException {
    return start("http", ServerSocketFactory.getDefault(), script);
  }

  static ScriptedServer start(String scheme, ServerSocketFactory sockets, Script script)
      throws IOException {
    return new ScriptedServer(
        sockets.createServerSocket(0, 100, InetAddress.getLoopbackAddress()), scheme, script);
  }

  /** Answers every request of every connection with the same text. */
  static ScriptedServer answering(String response) throws IOException {
    return answering(response.getBytes(StandardCharsets.UTF_8));
  }

  static ScriptedServer answering(byte[] response) throws IOException {
    return start(
        connection -> {
          while (connection.readRequest()) {
            connection.write(response);
          }
        });
  }

  static String ok(String body) {
    return "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s"
        .formatted(body.getBytes(StandardCharsets.UTF_8).length, body);
  }

  int port() {
    return listening.getLocalPort();
  }

  URI address() {
    return URI.create("%s://127.0.0.1:%d".formatted(scheme, port()));
  }

  int connections() {
    return connections.get();
  }

  List<String> requests() {
    return requests;
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listening.accept();
        connections.incrementAndGet();
        open.add(socket);
        Thread.ofVirtual().start(() -> play(socket));
      }
    } catch (IOException ended) {
      // By close.
    }
  }

  private void play(Socket socket) {
    try (socket) {
      script.play(new Connection(socket));
    } catch (Exception gone) {
      // The client, or the test.
    }
  }

  @Override
  public void close() throws IOException {
    closed.countDown();
    listening.close();
    for (Socket socket : open) {
      socket.close();
    }
  }

  final class Connection {

    private final Socket socket;
    private final InputStream in;

    Connection(Socket socket) throws IOException {
      this.socket = socket;
      this.in = new BufferedInputStream(socket.getInputStream());
    }

    Socket socket() {
      return socket;
    }

    InputStream in() {
      return in;
    }

    /** Reads one request; false if there is none. */
    boolean readRequest() throws IOException {
      var head = new ByteArrayOutputStream();
      while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
        int next = in.read();
        if (next < 0) {
          return false;
        }
        head.write(next);
      }
      String text = head.toString(StandardCharsets.ISO_8859_1);
      int length = 0;
      for (String line : text.split("\r\n", -1)) {
        if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
          length = Integer.parseInt(line.substring("content-length:".length()).strip());
        }
      }
      requests.add(text + new String(in.readNBytes(length), StandardCharsets.UTF_8));
      return true;
    }

    void write(String text) throws IOException {
      write(text.getBytes(StandardCharsets.UTF_8));
    }

    void write(byte[] bytes) throws IOException {
      socket.getOutputStream().write(bytes);
      socket.getOutputStream().flush();
    }

    /** Says nothing until the server is closed. */
    void hang() throws InterruptedException {
      closed.await();
    }

    /** Closes without saying goodbye. */
    void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }
  }
}
