package io.github.slotbloom.testing;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.SlotBloom;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A user of a schema whose pool connects through a network that tests can break. The pool has one
 * connection by default. Closing fails if a connection was not returned.
 */
public final class BehindNetwork implements AutoCloseable {

  private final FaultyNetwork network;
  private final HikariDataSource pool;
  private final SlotBloom bloom;

  public BehindNetwork(TestSchema schema) throws IOException {
    this(schema, settings -> {});
  }

  public BehindNetwork(TestSchema schema, Consumer<HikariConfig> poolSettings) throws IOException {
    InetSocketAddress server = schema.database().address();
    network = new FaultyNetwork(server);
    pool =
        schema.pool(
            network,
            settings -> {
              settings.setMaximumPoolSize(1);
              settings.setLeakDetectionThreshold(TimeUnit.MINUTES.toMillis(1));
              poolSettings.accept(settings);
            });
    bloom = SlotBloom.on(pool);
  }

  public FaultyNetwork network() {
    return network;
  }

  public HikariDataSource pool() {
    return pool;
  }

  public SlotBloom bloom() {
    return bloom;
  }

  /**
   * Catches the COMMIT of the next transaction that sends a given statement. With one connection,
   * no other COMMIT can come first.
   */
  public CompletableFuture<Trap> trapCommitAfter(String statement, Trap.Place place) {
    Trap before = network.trap(Trap.Place.BEFORE_SERVER, statement);
    return before
        .caught()
        .thenApply(
            caught -> {
              Trap commit = network.trap(place, "^COMMIT");
              before.release();
              return commit;
            });
  }

  @Override
  public void close() throws IOException {
    network.heal();
    bloom.close();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
    pool.close();
    network.close();
  }
}
