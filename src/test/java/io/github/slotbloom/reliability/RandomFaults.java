package io.github.slotbloom.reliability;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.github.slotbloom.testing.KillableServers;
import java.time.Duration;
import java.util.Random;

/**
 * Faults of random kinds on random servers, one after the other, while processes add the same keys.
 * Runs for {@code slotbloom.storm.minutes}, and not at all without. {@code slotbloom.storm.seed}
 * repeats a choice of faults, though not the moments at which they strike.
 */
final class RandomFaults {

  private static final Duration LENGTH =
      Duration.ofMinutes(Long.getLong("slotbloom.storm.minutes", 0));

  /** Keys to be added and lookups to be answered before the next step. */
  private static final int PROGRESS = 100;

  private final KillableServers servers;
  private final SharedFilter shared;
  private final int size;
  private final long seed = Long.getLong("slotbloom.storm.seed", new Random().nextInt());
  private final Random random = new Random(seed);

  private RandomFaults(KillableServers servers, SharedFilter shared) {
    this.servers = servers;
    this.shared = shared;
    size = servers.dataSources().size();
  }

  /** Has servers fail until the time is over, and checks what was promised. */
  static void strike(KillableServers servers, SharedFilter shared) throws Exception {
    assumeFalse(LENGTH.isZero(), "takes minutes");
    new RandomFaults(servers, shared).strike();
  }

  private void strike() throws Exception {
    ContestedKeys keys = shared.contest();
    String last = "none";
    try {
      for (long end = System.nanoTime() + LENGTH.toNanos();
          System.nanoTime() < end && !keys.isNearlyUsedUp(); ) {
        int number = random.nextInt(size);
        int kind = random.nextInt(3);
        last = "kind " + kind + " on server " + number;
        keys.awaitProgress(PROGRESS);
        switch (kind) {
          case 0 -> servers.kill(number);
          case 1 -> servers.freeze(number);
          default -> servers.cutOff(number);
        }
        servers.awaitWithout(number);
        keys.awaitProgress(PROGRESS);
        switch (kind) {
          case 0 -> servers.restart(number);
          case 1 -> servers.thaw(number);
          default -> servers.reconnect(number);
        }
        servers.join(number);
      }
      keys.check(shared.bloom(0));
    } catch (Exception | AssertionError e) {
      throw new AssertionError("With seed " + seed + ", the last fault is " + last, e);
    }
  }
}
