package io.github.slotbloom.cli.command;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.cli.CommandException;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.UsageException;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Messages;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.terminal.Wording;
import io.github.slotbloom.cli.text.KeyCount;
import io.github.slotbloom.resp.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

@Command(
    name = "serve",
    description = {
      "Serve the filters to Redis clients (BF.ADD, BF.EXISTS and so on) until Ctrl-C or SIGTERM.",
      "The Redis key is the name of a filter: redis-cli BF.ADD urls https://example.org/"
    })
public final class ServeCommand implements Callable<Integer> {

  /** Many filters may be in use at once. */
  private static final int CONNECTIONS = 16;

  @SuppressWarnings("NullAway.Init") // picocli sets it before the call.
  @ParentCommand
  private RootCommand root;

  @Option(
      names = "--host",
      paramLabel = "HOST",
      description =
          "Address to listen on. Default: ${DEFAULT-VALUE}. An address that other machines can"
              + " reach requires a password.")
  private String host = "127.0.0.1";

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Port to listen on; 0 picks a free one. Default: ${DEFAULT-VALUE}.")
  private int port = 6379;

  @Mixin private final ClientPasswordOptions password = new ClientPasswordOptions();

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description = "PEM file with the server's certificate. Turns TLS on.")
  private @Nullable Path certificate;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "PEM file with the certificate's private key (PKCS#8, without a password).")
  private @Nullable Path key;

  @Option(
      names = "--max-clients",
      paramLabel = "N",
      description = "Maximum number of connected clients. Default: ${DEFAULT-VALUE}.")
  private int maxClients = 1000;

  @Option(
      names = "--idle-timeout",
      paramLabel = "SECONDS",
      description =
          "Disconnect clients that are idle for this long; 0 for never. Default: ${DEFAULT-VALUE}.")
  private int idleSeconds = 3600;

  @Option(
      names = "--default-capacity",
      paramLabel = "N",
      converter = KeyCount.class,
      description =
          "Capacity of filters that BF.ADD creates. They grow automatically. Default:"
              + " ${DEFAULT-VALUE}.")
  private long defaultCapacity = 256;

  @Option(names = "--allow-flush", description = "Allow clients to drop all filters with FLUSHDB.")
  private boolean allowFlush;

  @Override
  public Integer call() throws Exception {
    CountDownLatch stop = new CountDownLatch(1);
    root.termination().stopWith(stop::countDown);
    CompletableFuture<SlotBloom> bloom = new CompletableFuture<>();
    RedisServer server = start(bloom);
    try (Session session = awaitDatabase(stop)) {
      if (session != null) {
        session.makingTables(session.bloom()::list);
        bloom.complete(session.bloom());
        tell("Ready for Redis clients on " + shown(server) + ".");
        stop.await();
      }
      // Before the session, since what clients sent is still answered.
      server.close();
    } finally {
      server.close();
    }
    return ExitCode.DONE;
  }

  private RedisServer start(CompletableFuture<SlotBloom> bloom) throws IOException {
    RedisServer.Builder builder =
        RedisServer.builder(bloom)
            .host(host)
            .port(port)
            .maxClients(maxClients)
            .idleTimeout(Duration.ofSeconds(Math.max(0, idleSeconds)))
            .defaultCapacity(defaultCapacity);
    String given = password.password(root.surroundings());
    if (given != null) {
      builder.password(given);
    }
    if ((certificate == null) != (key == null)) {
      throw new UsageException("--tls-cert and --tls-key must be used together.");
    }
    if (certificate != null && key != null) {
      builder.tls(certificate, key);
    }
    if (allowFlush) {
      builder.allowFlush();
    }
    try {
      return builder.start();
    } catch (IOException e) {
      throw new CommandException(Wording.oneLine(e.getMessage()) + ".", e);
    }
  }

  /** Tries until the database is there. Returns null if the command is told to end before. */
  private @Nullable Session awaitDatabase(CountDownLatch stop) throws InterruptedException {
    Messages messages = root.surroundings().messages();
    boolean told = false;
    while (stop.getCount() > 0) {
      try {
        return Session.open(root.database(), true, CONNECTIONS, messages);
      } catch (CommandException e) {
        if (e.exitCode() != ExitCode.UNREACHABLE) {
          throw e;
        }
        if (!told) {
          messages.notice(
              "Clients get LOADING until the database can be reached: "
                  + Wording.oneLine(e.getMessage()));
          told = true;
        }
        stop.await(1, TimeUnit.SECONDS);
      }
    }
    return null;
  }

  private void tell(String line) {
    Output output = new Output(root.surroundings().output());
    output.println(line);
    output.flush();
  }

  private static String shown(RedisServer server) {
    return server.address().getAddress().getHostAddress() + ":" + server.address().getPort();
  }
}
