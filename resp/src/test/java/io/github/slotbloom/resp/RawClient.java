package io.github.slotbloom.resp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A client that sends bytes as they are, and returns the bytes of each answer as they came. */
final class RawClient implements AutoCloseable {

  private static final int PATIENCE_MILLIS = 60_000;

  private final Socket socket;
  private final InputStream in;

  RawClient(InetSocketAddress server) throws IOException {
    this(new Socket(server.getAddress(), server.getPort()));
  }

  RawClient(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream());
  }

  /** Sends words as a client does, and returns the answer. */
  String ask(String... words) throws IOException {
    send(request(words));
    return answer();
  }

  /** Returns the bytes of a request, each character being one. */
  static String request(String... words) {
    StringBuilder request = new StringBuilder("*" + words.length + "\r\n");
    for (String word : words) {
      String bytes = new String(word.getBytes(UTF_8), ISO_8859_1);
      request.append('$').append(bytes.length()).append("\r\n").append(bytes).append("\r\n");
    }
    return request.toString();
  }

  void send(String bytes) throws IOException {
    socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
    socket.getOutputStream().flush();
  }

  /** Sends a line, as somebody who types does. */
  String type(String line) throws IOException {
    send(new String((line + "\r\n").getBytes(UTF_8), ISO_8859_1));
    return answer();
  }

  /** Reads one answer. */
  String answer() throws IOException {
    return answer(in);
  }

  /** Reads one answer of either version of the protocol; fails if it is none. */
  static String answer(InputStream in) throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    read(in, answer);
    return answer.toString(UTF_8);
  }

  /** Returns true if the server has closed the connection, and sent nothing before that. */
  boolean isClosed() throws IOException {
    return in.read() < 0;
  }

  private static void read(InputStream in, ByteArrayOutputStream answer) throws IOException {
    String line = line(in);
    answer.writeBytes((line + "\r\n").getBytes(ISO_8859_1));
    String rest = line.substring(1);
    switch (line.charAt(0)) {
      case '$', '=' -> {
        int length = Integer.parseInt(rest);
        if (length >= 0) {
          answer.writeBytes(in.readNBytes(length + 2));
        }
      }
      case '*', '~' -> readAll(Integer.parseInt(rest), in, answer);
      case '%' -> readAll(2 * Integer.parseInt(rest), in, answer);
      case '+', '-', ':', '#', '_' -> {}
      default -> throw new IOException("This is no answer: " + line);
    }
  }

  private static void readAll(int answers, InputStream in, ByteArrayOutputStream into)
      throws IOException {
    for (int i = 0; i < answers; i++) {
      read(in, into);
    }
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\r'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("The server closed the connection");
      }
      line.append((char) next);
    }
    in.read();
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
