package io.github.slotbloom.schedule;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.DrivenBloom;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.Freshness;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.reliability.Operation.Answer;
import io.github.slotbloom.reliability.Operation.Kind;
import io.github.slotbloom.schedule.Program.Call;
import io.github.slotbloom.schedule.World.Stop;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.ShortLease;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** One process of a run: it makes the calls of a program, and takes down what it is told. */
final class Caller {

  /** What a name becomes. */
  static final String RENAMED = "_renamed";

  /** The filter that is made. */
  static final String ANOTHER = "another";

  /** Half of a lease. */
  private static final Duration BOUND = ShortLease.LEASE.dividedBy(2);

  private final int process;
  private final String name;
  private final CleanFilter filters;
  private final World world;
  private final History history;
  private final DataSource sessions;
  private final Background background;
  private final SlotBloom bloom;
  private final FilterOptions options;
  private BloomFilter<Long> filter;
  private final long boundNanos;

  Caller(
      int process,
      World world,
      Sessions sessions,
      History history,
      Program program,
      CleanFilter filters) {
    this.filters = filters;
    this.process = process;
    name = program.filter().filterName();
    this.world = world;
    this.history = history;
    this.sessions = sessions.of(world, process);
    background = new Background(world, process);
    bloom = DrivenBloom.on(this.sessions, world, background, background);
    FilterOptions patient = FilterOptions.defaults().timeout(Duration.ofSeconds(20));
    // The first process answers by what it heard within the bound.
    boundNanos = program.mirrored() && process == 0 ? BOUND.toNanos() : 0;
    options =
        !program.mirrored()
            ? patient.withoutMirror()
            : boundNanos == 0 ? patient : patient.freshness(Freshness.bounded(BOUND));
    filter = bloom.open(name, KeyType.longs(), options);
  }

  /** Makes the calls, on a thread of the world. */
  void make(List<Call> calls) {
    for (int i = 0; i < calls.size(); i++) {
      if (i > 0) {
        world.stop(Stop.CALL, "calls " + calls.get(i));
      }
      make(calls.get(i));
    }
  }

  private void make(Call call) {
    switch (call.kind()) {
      case ADD -> write(Kind.ADD, new long[] {call.key()});
      case ADD_EACH -> write(Kind.ADD, new long[] {call.key(), call.key() + 1});
      case REMOVE -> write(Kind.REMOVE, new long[] {call.key()});
      case ADD_WITHIN -> within(call.key(), true);
      case ADD_ROLLED_BACK -> within(call.key(), false);
      case ASK -> ask(call.key());
      case CLEAR -> clear();
      case FOLD -> quietly(() -> bloom.admin(filter.name()).fold());
      case GROW -> quietly(() -> bloom.admin(name).grow(2_000));
      case REPLACE ->
          quietly(
              () ->
                  bloom.admin(name).replace(2_000, KeySource.journal(), ReplaceOptions.defaults()));
      case ABORT -> quietly(() -> bloom.admin(name).abortReplacement());
      case TICK -> tick(TimeUnit.MILLISECONDS.toNanos(60));
      case TRIM -> tick(TimeUnit.MINUTES.toNanos(2));
      case SWEEP -> sweep(TimeUnit.MINUTES.toNanos(2));
      case LATER -> sweep(TimeUnit.HOURS.toNanos(3));
      case OFFER -> offer(call.key());
      case BUCKET -> tick(CleanFilter.LENGTH.bucketLength().toNanos());
      case OPEN -> quietly(() -> filter = bloom.open(name, KeyType.longs(), options));
      case RESERVE -> quietly(() -> bloom.openOrReserve(ANOTHER, CleanFilter.Kind.LASTING.spec()));
      case IMPORT -> quietly(() -> filters.importSource(bloom, ANOTHER));
      case MERGE -> merge();
      case RENAME -> quietly(() -> bloom.admin(name).rename(name + RENAMED));
      case DROP ->
          quietly(
              () -> {
                bloom.admin(name).drop();
                history.ended(0);
              });
      case EXPIRE ->
          quietly(
              () -> {
                bloom.admin(name).expireAt(Instant.EPOCH);
                history.ended(ShortLease.LEASE.toNanos());
              });
    }
  }

  private void tick(long nanos) {
    world.advance(nanos);
    background.tick();
  }

  private void sweep(long nanos) {
    tick(nanos);
    background.await();
  }

  /** Commands may fail as long as they keep the promises. */
  private static void quietly(Runnable command) {
    try {
      command.run();
    } catch (SlotBloomException e) {
      // The history tells what must still hold.
    }
  }

  private void write(Kind kind, long[] keys) {
    long batch = keys.length > 1 ? history.nextBatch() : 0;
    int[] places = new int[keys.length];
    for (int i = 0; i < keys.length; i++) {
      places[i] = history.begin(kind, keys[i], 0, batch);
    }
    try {
      List<Long> all = java.util.Arrays.stream(keys).boxed().toList();
      boolean[] changed =
          switch (kind) {
            case REMOVE ->
                keys.length == 1
                    ? new boolean[] {Removing.from(filter).remove(keys[0])}
                    : Removing.from(filter).removeEach(all);
            default -> keys.length == 1 ? new boolean[] {filter.add(keys[0])} : filter.addEach(all);
          };
      for (int i = 0; i < keys.length; i++) {
        history.complete(places[i], answer(kind, changed[i]));
      }
    } catch (WriteFailedException e) {
      boolean nothing = e.outcome() == Outcome.NOT_RECORDED;
      for (int place : places) {
        history.complete(place, nothing ? Answer.NOT_RECORDED : Answer.NONE);
      }
    } catch (SlotBloomException e) {
      // Whoever is not told what came of a write must expect both.
    }
  }

  private static Answer answer(Kind kind, boolean changed) {
    if (kind == Kind.REMOVE) {
      return changed ? Answer.REMOVED : Answer.ABSENT;
    }
    return changed ? Answer.NEW : Answer.SEEN;
  }

  private void within(long key, boolean commit) {
    int place = history.begin(Kind.ADD, key, 0, 0);
    try (Connection connection = sessions.getConnection()) {
      connection.setAutoCommit(false);
      boolean fresh;
      try {
        fresh = filter.within(connection).add(key);
      } catch (SlotBloomException e) {
        connection.rollback();
        history.complete(place, Answer.NOT_RECORDED);
        return;
      }
      if (commit) {
        connection.commit();
        history.complete(place, fresh ? Answer.NEW : Answer.SEEN);
      } else {
        connection.rollback();
        history.complete(place, Answer.NOT_RECORDED);
      }
    } catch (SQLException e) {
      // The answer to the end of the transaction is lost, or that of all before.
    }
  }

  private void ask(long key) {
    int place = history.begin(Kind.ASK, key, boundNanos, 0);
    try {
      history.complete(place, filter.mightContain(key) ? Answer.YES : Answer.NO);
    } catch (SlotBloomException e) {
      history.complete(place, Answer.FAILED);
    }
  }

  private void offer(long key) {
    int place = history.begin(Kind.OFFER, key, 0, 0);
    try {
      history.complete(
          place,
          switch (filter.offer(key, world.beginning())) {
            case NEW -> Answer.NEW;
            case SEEN -> Answer.SEEN;
            case EXPIRED -> Answer.EXPIRED;
          });
    } catch (WriteFailedException e) {
      history.complete(
          place, e.outcome() == Outcome.NOT_RECORDED ? Answer.NOT_RECORDED : Answer.NONE);
    } catch (SlotBloomException e) {
      // Whoever is not told what came of a write must expect both.
    }
  }

  private void clear() {
    int place = history.begin(Kind.CLEAR, 0, 0, 0);
    try {
      bloom.admin(filter.name()).clear();
      history.complete(place, Answer.CLEARED);
    } catch (SlotBloomException e) {
      history.complete(place, Answer.FAILED);
    }
  }

  /** It adds the key of the source, without telling whether that is new. */
  private void merge() {
    history.begin(Kind.ADD, CleanFilter.KEY_OF_SOURCE, 0, 0);
    quietly(
        () -> {
          bloom.admin(CleanFilter.SOURCE).mergeInto(name);
          history.merged();
        });
  }

  /** Returns whether strict lookups find the keys; empty if there is no answer. */
  Optional<boolean[]> strictly(List<Long> keys) {
    if (boundNanos > 0) {
      return Optional.empty();
    }
    try {
      return Optional.of(filter.mightContainEach(keys));
    } catch (SlotBloomException e) {
      return Optional.empty();
    }
  }

  int process() {
    return process;
  }

  @Override
  public String toString() {
    return "process " + process;
  }

  /** Returns a process that does nothing of its own accord. */
  static SlotBloom operator(int process, World world, Sessions sessions) {
    Background background = new Background(world, process);
    return DrivenBloom.on(sessions.of(world, process), world, background, background);
  }
}
