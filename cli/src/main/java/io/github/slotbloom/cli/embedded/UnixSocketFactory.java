package io.github.slotbloom.cli.embedded;

import com.mysql.cj.conf.PropertySet;
import com.mysql.cj.protocol.ServerSession;
import com.mysql.cj.protocol.SocketConnection;
import com.mysql.cj.protocol.SocketFactory;
import java.io.Closeable;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Lets the JDBC driver connect to a Unix domain socket. The driver creates one factory per
 * connection, from the class name in the URL.
 */
public final class UnixSocketFactory implements SocketFactory {

  private static final String PATH_PROPERTY = "unixSocket";

  /** Returns the JDBC URL properties that make the driver connect to a socket. */
  static String urlProperties(Path socket) {
    // The driver keeps a plus sign as it is.
    String path = URLEncoder.encode(socket.toString(), StandardCharsets.UTF_8).replace("+", "%20");
    return "socketFactory=" + UnixSocketFactory.class.getName() + "&" + PATH_PROPERTY + "=" + path;
  }

  @Override
  @SuppressWarnings({
    "unchecked",
    "TypeParameterUnusedInFormals"
  }) // The driver casts the socket to its own type.
  public <T extends Closeable> T connect(
      String host, int port, PropertySet properties, int loginTimeoutMillis) throws IOException {
    return (T) UnixSocket.connect(Path.of(properties.getStringProperty(PATH_PROPERTY).getValue()));
  }

  /** Always fails: only the owner of its directory can reach the socket, so it needs no TLS. */
  @Override
  @SuppressWarnings("TypeParameterUnusedInFormals") // The driver declares this signature.
  public <T extends Closeable> T performTlsHandshake(
      SocketConnection connection, ServerSession session) throws IOException {
    throw new IOException("A Unix domain socket is used without TLS.");
  }
}
