package io.github.slotbloom.reliability;

import io.github.slotbloom.testing.FailingDatabase;
import io.github.slotbloom.testing.FaultyNetwork;
import io.github.slotbloom.testing.Trap;
import io.github.slotbloom.testing.Trap.Place;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Does to a storm what faults it is allowed to, one after the other, at random. */
final class Nemesis {

  private static final long LONGEST_WAIT_FOR_TRAP_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Where a statement is held up, and what it looks like. */
  private record Point(Place place, String statement) {}

  private static final List<Point> POINTS =
      List.of(
          new Point(Place.BEFORE_SERVER, "^COMMIT"),
          new Point(Place.BEFORE_CLIENT, "^COMMIT"),
          new Point(Place.BEFORE_CLIENT, "insert.* into .bloom_journal"),
          new Point(Place.HALF_WAY, "insert.* into .bloom_journal"),
          new Point(Place.BEFORE_CLIENT, "^insert into .bloom_bits"),
          new Point(Place.BEFORE_SERVER, "^update .bloom_fold"),
          new Point(Place.BEFORE_SERVER, "insert.* into .bloom_journal"),
          new Point(Place.BEFORE_CLIENT, "^select .* for update"),
          new Point(Place.BEFORE_CLIENT, "^select .* from .bloom_bits"),
          new Point(Place.BEFORE_SERVER, "^SET SESSION .*@slotbloom"));

  private final List<Fault> allowed;
  private final FailingDatabase server;
  private final List<StormWorker> workers;
  private final Random random;
  private final ByHand byHand;
  private final Map<Fault, Integer> done = new EnumMap<>(Fault.class);
  // As with cards: each comes up before any comes up again.
  private final List<Fault> deck = new ArrayList<>();

  /** What is done with SQL or through the library, not to processes and networks. */
  interface ByHand {
    void clear() throws Exception;

    /** Returns false if it grew as often as it may. */
    boolean grow() throws Exception;

    /** Returns false if it was replaced as often as it may. */
    boolean replace() throws Exception;
  }

  /**
   * @param allowed a fault that is in it twice happens twice as often
   */
  Nemesis(
      List<Fault> allowed,
      FailingDatabase server,
      List<StormWorker> workers,
      Random random,
      ByHand byHand) {
    this.allowed = allowed;
    this.server = server;
    this.workers = workers;
    this.random = random;
    this.byHand = byHand;
  }

  /** How often each was done. */
  Map<Fault, Integer> done() {
    return done;
  }

  /** Rages until then. */
  void rageUntil(long nanoTime) throws Exception {
    while (System.nanoTime() < nanoTime) {
      pause(50, 500);
      if (deck.isEmpty()) {
        deck.addAll(allowed);
        Collections.shuffle(deck, random);
      }
      Fault fault = deck.remove(deck.size() - 1);
      if (inflict(fault, workers.get(random.nextInt(workers.size())))) {
        done.merge(fault, 1, Integer::sum);
      }
    }
  }

  /** Returns whether there was an opportunity. */
  private boolean inflict(Fault fault, StormWorker worker) throws Exception {
    FaultyNetwork network = worker.network();
    switch (fault) {
      case KILL -> worker.replace();
      case KILL_AT_POINT -> {
        Trap trap = trapSomewhere(network);
        if (!caught(trap)) {
          return false;
        }
        worker.process().kill();
        // The server may still get what was on its way, or not.
        if (random.nextBoolean()) {
          trap.cut();
        }
        worker.replace();
      }
      case CRASH_SERVER -> {
        server.fail(() -> pause(0, 300));
      }
      case FREEZE -> {
        worker.process().freeze(true);
        pause(100, 3_000);
        worker.process().freeze(false);
      }
      case CUT -> network.cutAll();
      case LOSE_COMMIT_ANSWER -> {
        Trap trap = network.trap(Place.BEFORE_CLIENT, "^COMMIT");
        if (!caught(trap)) {
          return false;
        }
        trap.cut();
      }
      case SLOW_COMMIT -> {
        Trap trap = network.trap(Place.BEFORE_SERVER, "^COMMIT");
        if (!caught(trap)) {
          return false;
        }
        trap.hangUpOnClient();
        pause(0, 1_500);
        if (random.nextBoolean()) {
          trap.release();
        } else {
          trap.cut();
        }
      }
      case CUT_AT_POINT -> {
        Trap trap = trapSomewhere(network);
        if (!caught(trap)) {
          return false;
        }
        trap.cut();
      }
      case STALL -> {
        network.stall(true);
        pause(100, 3_000);
        network.stall(false);
      }
      case DELAY -> {
        network.delayMillis(1 + random.nextInt(40));
        pause(200, 1_000);
        network.delayMillis(0);
      }
      case LOSE_SERVER -> {
        network.loseServer();
        pause(0, 1_000);
        network.cutAll();
      }
      case LOSE_CLIENT -> {
        network.loseClients();
        pause(0, 2_000);
        // A transaction of the worker's own would hold its locks for the wait_timeout, 8 hours.
        network.cutAll();
      }
      case CLEAR -> byHand.clear();
      case GROW -> {
        return byHand.grow();
      }
      case REPLACE -> {
        return byHand.replace();
      }
      default -> throw new IllegalArgumentException(fault.toString());
    }
    return true;
  }

  private Trap trapSomewhere(FaultyNetwork network) {
    Point point = POINTS.get(random.nextInt(POINTS.size()));
    return network.trap(point.place, point.statement, random.nextInt(4));
  }

  /** A trap that nothing fell into is taken away. */
  private static boolean caught(Trap trap) {
    long begun = System.nanoTime();
    while (!trap.hasCaught() && System.nanoTime() - begun < LONGEST_WAIT_FOR_TRAP_NANOS) {
      LockSupport.parkNanos(NANOS_PER_MILLI);
    }
    boolean caught = trap.hasCaught();
    if (!caught) {
      trap.release();
    }
    return caught;
  }

  /** Faults come at no particular moment; nothing waits for anything here. */
  private void pause(int fromMillis, int toMillis) {
    long end =
        System.nanoTime() + (fromMillis + random.nextInt(toMillis - fromMillis)) * NANOS_PER_MILLI;
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }
}
