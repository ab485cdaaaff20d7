package io.github.slotbloom.testing;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy between clients and a MySQL server that fails on request. It reads the clients'
 * statements, so it can fail at a given one. Clients must not encrypt their connections.
 * Thread-safe.
 */
public final class FaultyNetwork implements AutoCloseable {

  private static final int HEADER = 4;
  private static final int COM_QUERY = 3;
  private static final int COM_STMT_PREPARE = 22;
  private static final int COM_STMT_EXECUTE = 23;
  private static final int MOST_LOOKED_AT = 4096;

  private final ServerSocket door;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "faulty-network");
            thread.setDaemon(true);
            return thread;
          });
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private final List<Trap> traps = new CopyOnWriteArrayList<>();
  private final Gate gate = new Gate();
  private final AtomicLong statements = new AtomicLong();
  private volatile InetSocketAddress server;
  private volatile boolean refusing;
  private volatile long delayNanos;

  public FaultyNetwork(InetSocketAddress server) throws IOException {
    this.server = server;
    door = new ServerSocket(0, 256, InetAddress.getLoopbackAddress());
    threads.execute(this::acceptAll);
  }

  /** Returns the JDBC URL of a schema behind this network. */
  public String url(String schema) {
    return url(List.of(this), schema);
  }

  /** Returns the JDBC URL of a schema on several servers, each behind one of the networks. */
  static String url(List<FaultyNetwork> networks, String schema) {
    return networks.stream()
        .map(network -> "127.0.0.1:" + network.door.getLocalPort())
        .collect(
            Collectors.joining(
                ",",
                "jdbc:mysql://",
                "/" + schema + "?sslMode=DISABLED&allowPublicKeyRetrieval=true"));
  }

  /** Sets the server address for new connections. */
  public void server(InetSocketAddress address) {
    server = address;
  }

  /** Catches the next statement whose text contains a match of the expression. */
  public Trap trap(Trap.Place place, String statement) {
    return trap(place, statement, 0);
  }

  /** Works like {@link #trap(Trap.Place, String)}, but lets some matches pass first. */
  public Trap trap(Trap.Place place, String statement, int toPass) {
    return add(new Trap("", statement, place, toPass));
  }

  /**
   * Works like {@link #trap(Trap.Place, String)}, for a statement that directly follows another one
   * on its connection. An example is the COMMIT of a transaction whose last change was to a given
   * table.
   */
  public Trap trapAfter(String before, Trap.Place place, String statement) {
    return trapAfter(before, place, statement, 0);
  }

  /**
   * Works like {@link #trapAfter(String, Trap.Place, String)}, but lets some matches pass first.
   */
  public Trap trapAfter(String before, Trap.Place place, String statement, int toPass) {
    return add(new Trap(before, statement, place, toPass));
  }

  private Trap add(Trap trap) {
    traps.add(trap);
    return trap;
  }

  /** Closes both ends of all connections. */
  public void cutAll() {
    links.forEach(Link::close);
  }

  /** Closes the server's end of all connections. The clients are never told. */
  public void loseServer() {
    links.forEach(Link::loseServer);
  }

  /** Closes the clients' end of all connections. The server is not told while they last. */
  public void loseClients() {
    links.forEach(Link::closeClient);
  }

  /** Sets the handling of new connections: if true, they end at once. */
  public void refuse(boolean refuse) {
    refusing = refuse;
  }

  /**
   * Sets the flow of data: if true, no byte passes in either direction. Data sent in the meantime
   * arrives afterwards.
   */
  public void stall(boolean stalled) {
    gate.close(stalled);
  }

  /** Delays each statement and each piece of an answer. */
  public void delayMillis(long millis) {
    delayNanos = millis * 1_000_000;
  }

  /** Returns how many statements were sent through this network. */
  public long statements() {
    return statements.get();
  }

  /** Ends all faults and releases all trapped statements. */
  public void heal() {
    refusing = false;
    delayNanos = 0;
    traps.forEach(Trap::release);
    traps.clear();
    stall(false);
  }

  @Override
  public void close() throws IOException {
    door.close();
    traps.forEach(Trap::cut);
    gate.close(false);
    cutAll();
    threads.shutdownNow();
  }

  private void acceptAll() {
    while (!door.isClosed()) {
      try {
        Socket client = door.accept();
        try {
          threads.execute(() -> connect(client));
        } catch (RejectedExecutionException e) {
          // The network was closed in the meantime, so nobody may pass.
          client.close();
        }
      } catch (IOException e) {
        if (!door.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private void connect(Socket client) {
    Socket upstream = new Socket();
    Link link = new Link(client, upstream);
    links.add(link);
    try {
      if (refusing) {
        throw new IOException("refused on request");
      }
      client.setTcpNoDelay(true);
      upstream.setTcpNoDelay(true);
      upstream.connect(server);
      threads.execute(link::pumpAnswers);
      link.pumpStatements();
    } catch (IOException | RejectedExecutionException e) {
      // Like a real network, this one can only tell its two ends.
      link.close();
    }
  }

  /** Returns the text behind the command. */
  private static String text(byte[] packet) {
    int length = Math.min(packet.length, MOST_LOOKED_AT) - HEADER - 1;
    // Two numbers may come first: the number of attributes of the query, and the number of their
    // sets.
    return new String(packet, HEADER + 1, length, StandardCharsets.ISO_8859_1).trim();
  }

  /** Returns the number of a prepared statement, which follows the first byte of a packet. */
  private static int statementId(byte[] packet) {
    return ByteBuffer.wrap(packet).order(ByteOrder.LITTLE_ENDIAN).getInt(HEADER + 1);
  }

  private @Nullable Trap trapFor(String before, String sql) {
    for (Trap trap : traps) {
      if (trap.wants(before, sql)) {
        traps.remove(trap);
        return trap;
      }
    }
    return null;
  }

  private void pass() {
    if (delayNanos > 0) {
      LockSupport.parkNanos(delayNanos);
    }
    gate.pass();
  }

  /** The connection of one client. */
  private final class Link implements Trap.Connected {
    private final Socket client;
    private final Socket upstream;
    private final Map<Integer, String> prepared = new ConcurrentHashMap<>();
    private String before = "";
    private volatile @Nullable String beingPrepared;
    private volatile @Nullable Trap answerTrap;
    private volatile boolean clientLost;
    private volatile boolean hungUp;
    private volatile boolean serverLost;

    Link(Socket client, Socket upstream) {
      this.client = client;
      this.upstream = upstream;
    }

    void pumpStatements() throws IOException {
      DataInputStream in = new DataInputStream(client.getInputStream());
      OutputStream out = upstream.getOutputStream();
      while (true) {
        byte[] packet;
        try {
          packet = readPacket(in);
        } catch (IOException e) {
          if (clientLost) {
            return;
          }
          throw e;
        }
        Trap trap = nextTrap(packet);
        pass();
        if (serverLost) {
          continue;
        }
        if (trap == null) {
          out.write(packet);
        } else if (trap.place() == Trap.Place.BEFORE_CLIENT) {
          answerTrap = trap;
          out.write(packet);
        } else {
          int sent = trap.place() == Trap.Place.HALF_WAY ? packet.length / 2 : 0;
          out.write(packet, 0, sent);
          if (trap.hold(this) == Trap.Verdict.CUT) {
            throw new EOFException();
          }
          out.write(packet, sent, packet.length - sent);
        }
      }
    }

    private @Nullable Trap nextTrap(byte[] packet) {
      String sql = statement(packet);
      if (sql == null) {
        return null;
      }
      statements.incrementAndGet();
      Trap trap = trapFor(before, sql);
      before = sql;
      return trap;
    }

    /** Returns the text of a statement that is to be executed; null for other packets. */
    private @Nullable String statement(byte[] packet) {
      if (packet[HEADER - 1] != 0 || packet.length <= HEADER) {
        return null;
      }
      return switch (packet[HEADER]) {
        case COM_QUERY -> text(packet);
        case COM_STMT_EXECUTE -> prepared.get(statementId(packet));
        case COM_STMT_PREPARE -> {
          beingPrepared = text(packet);
          yield null;
        }
        default -> null;
      };
    }

    private byte[] readPacket(DataInputStream in) throws IOException {
      byte[] header = new byte[HEADER];
      in.readFully(header);
      int length =
          (header[0] & 0xff)
              | (header[1] & 0xff) << Byte.SIZE
              | (header[2] & 0xff) << 2 * Byte.SIZE;
      byte[] packet = Arrays.copyOf(header, HEADER + length);
      in.readFully(packet, HEADER, length);
      return packet;
    }

    void pumpAnswers() {
      byte[] buffer = new byte[1 << 16];
      try {
        while (true) {
          int read = upstream.getInputStream().read(buffer);
          if (read < 0) {
            throw new EOFException();
          }
          String text = beingPrepared;
          if (text != null) {
            beingPrepared = null;
            prepared.put(statementId(buffer), text);
          }
          Trap trap = answerTrap;
          if (trap != null) {
            answerTrap = null;
            if (trap.hold(this) == Trap.Verdict.CUT) {
              throw new EOFException();
            }
          }
          pass();
          if (hungUp) {
            throw new EOFException();
          }
          // A server that lost its client may still send it a last error.
          if (!clientLost && !serverLost) {
            client.getOutputStream().write(buffer, 0, read);
          }
        }
      } catch (IOException e) {
        if (!serverLost) {
          close();
        }
      }
    }

    @Override
    public void hangUpOnClient() {
      hungUp = true;
      closeClient();
    }

    private void closeClient() {
      clientLost = true;
      closeQuietly(client);
    }

    void loseServer() {
      serverLost = true;
      closeQuietly(upstream);
    }

    void close() {
      links.remove(this);
      closeQuietly(client);
      closeQuietly(upstream);
    }

    private void closeQuietly(Socket socket) {
      try {
        socket.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** A gate that is closed while no data may pass. */
  private static final class Gate {
    private boolean closed;

    synchronized void close(boolean close) {
      closed = close;
      notifyAll();
    }

    synchronized void pass() {
      try {
        while (closed) {
          wait();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
