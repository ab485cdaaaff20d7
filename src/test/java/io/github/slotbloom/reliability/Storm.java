package io.github.slotbloom.reliability;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.RemovableWrites;
import io.github.slotbloom.TransactionalWrites;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.RemovedKeysFullException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.reliability.Operation.Answer;
import io.github.slotbloom.reliability.Operation.Kind;
import io.github.slotbloom.testing.Removing;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * One thread that uses a filter in every way there is, at random, and logs what it was answered.
 */
final class Storm {

  /** The same filter, opened in three ways. */
  record Handles(BloomFilter<Long> strict, BloomFilter<Long> bounded, BloomFilter<Long> direct) {}

  private static final int MOST_KEYS_ADDED_AT_ONCE = 120;
  private static final int MOST_KEYS_ASKED_AT_ONCE = 800;
  private static final int BOUNDED_IN_A_ROW = 100;
  private static final int MOST_KEYS_REMOVED_AT_ONCE = 60;
  private static final int ADDS_IN_A_ROW = 3;
  private static final int REMOVALS_PERCENT = 30;
  private static final int OFFERS_PERCENT = 20;

  private final Handles filter;
  private final DataSource dataSource;
  private final HistoryLog log;
  private final StormKeys keys;
  private final Random random;
  private final int boundMillis;
  private final boolean removable;
  private final long eventsFromMillis;

  Storm(
      Handles filter,
      DataSource dataSource,
      HistoryLog log,
      StormKeys keys,
      Random random,
      int boundMillis,
      boolean removable,
      long eventsFromMillis) {
    this.filter = filter;
    this.dataSource = dataSource;
    this.log = log;
    this.keys = keys;
    this.random = random;
    this.boundMillis = boundMillis;
    this.removable = removable;
    this.eventsFromMillis = eventsFromMillis;
  }

  /** Does one thing. */
  void once() throws IOException {
    if (removable && random.nextInt(100) < REMOVALS_PERCENT) {
      removeOnce();
    } else if (eventsFromMillis > 0 && random.nextInt(100) < OFFERS_PERCENT) {
      offer(random.nextInt(4) == 0 ? filter.direct : filter.strict, key(0.3));
    } else {
      addOrAskOnce();
    }
  }

  private void removeOnce() throws IOException {
    int dice = random.nextInt(100);
    if (dice < 40) {
      remove(filter.strict, key(0.15));
    } else if (dice < 50) {
      remove(filter.direct, key(0.15));
    } else if (dice < 60) {
      removeAsync(keys.someToRemove(ADDS_IN_A_ROW));
    } else if (dice < 70) {
      comeAndGoAsync(keys.ownKey());
    } else if (dice < 85) {
      removeEach(
          dice < 82 ? filter.strict : filter.direct, keys.someToRemove(MOST_KEYS_REMOVED_AT_ONCE));
    } else {
      within(mixed());
    }
  }

  private void addOrAskOnce() throws IOException {
    int dice = random.nextInt(100);
    if (dice < 22) {
      add(filter.strict, key(0.15));
    } else if (dice < 25) {
      add(filter.direct, key(0.15));
    } else if (dice < 28) {
      addAsync(keys.some(ADDS_IN_A_ROW, 0.3, 0.1));
    } else if (dice < 40) {
      addEach(
          dice < 38 ? filter.strict : filter.direct, keys.some(MOST_KEYS_ADDED_AT_ONCE, 0.1, 0.3));
    } else if (dice < 44) {
      List<Long> some = keys.some(2 * ADDS_IN_A_ROW, 0.3, 0.1);
      within(some.stream().map(key -> new Change(Kind.ADD, key)).toList());
    } else if (dice < 60) {
      ask(filter.strict, key(0.5), 0);
    } else if (dice < 75) {
      askEach(filter.strict, keys.some(MOST_KEYS_ASKED_AT_ONCE, 0.01, 0.5), 0);
    } else if (dice < 80) {
      askEach(filter.direct, keys.some(MOST_KEYS_ADDED_AT_ONCE, 0.01, 0.5), 0);
    } else if (dice < 90) {
      for (int i = 0; i < BOUNDED_IN_A_ROW; i++) {
        ask(filter.bounded, key(0.3), boundMillis);
      }
    } else {
      askEach(filter.bounded, keys.some(MOST_KEYS_ASKED_AT_ONCE, 0.01, 0.3), boundMillis);
    }
  }

  private long key(double old) {
    return random.nextDouble() < old ? keys.old() : keys.hot();
  }

  private void add(BloomFilter<Long> to, long key) throws IOException {
    int place = log.begin(Kind.ADD, key, 0, 0);
    log.complete(place, answer(Kind.ADD, () -> to.add(key)));
  }

  private void offer(BloomFilter<Long> to, long key) throws IOException {
    Instant at = Instant.ofEpochMilli(eventsFromMillis).plus(keys.eventOf(key));
    int place = log.begin(Kind.OFFER, key, 0, 0);
    Answer answer;
    try {
      answer =
          switch (to.offer(key, at)) {
            case NEW -> Answer.NEW;
            case SEEN -> Answer.SEEN;
            case EXPIRED -> Answer.EXPIRED;
          };
    } catch (WriteFailedException | FilterUnavailableException e) {
      answer = outcome(e);
    }
    log.complete(place, answer);
  }

  private void remove(BloomFilter<Long> from, long key) throws IOException {
    int place = log.begin(Kind.REMOVE, key, 0, 0);
    log.complete(place, answer(Kind.REMOVE, () -> Removing.from(from).remove(key)));
  }

  private static Answer answer(Kind kind, Supplier<Boolean> change) {
    try {
      return answer(kind, change.get());
    } catch (WriteFailedException | FilterUnavailableException | RemovedKeysFullException e) {
      return outcome(e);
    }
  }

  private static Answer answer(Kind kind, boolean changed) {
    if (kind == Kind.ADD) {
      return changed ? Answer.NEW : Answer.SEEN;
    }
    return changed ? Answer.REMOVED : Answer.ABSENT;
  }

  private static Answer outcome(SlotBloomException e) {
    if (e instanceof WriteFailedException failed) {
      return switch (failed.outcome()) {
        case NOT_RECORDED -> Answer.NOT_RECORDED;
        case UNKNOWN -> Answer.NONE;
      };
    }
    return e instanceof RemovedKeysFullException ? Answer.NOT_RECORDED : Answer.NONE;
  }

  private void addAsync(List<Long> some) throws IOException {
    int[] places = begin(Kind.ADD, some, 0, 0);
    List<CompletableFuture<Boolean>> futures = some.stream().map(filter.strict::addAsync).toList();
    for (int i = 0; i < places.length; i++) {
      CompletableFuture<Boolean> future = futures.get(i);
      log.complete(places[i], answer(Kind.ADD, () -> join(future)));
    }
  }

  private void removeAsync(List<Long> some) throws IOException {
    int[] places = begin(Kind.REMOVE, some, 0, 0);
    List<CompletableFuture<Boolean>> futures = some.stream().map(this::removeAsync).toList();
    for (int i = 0; i < places.length; i++) {
      CompletableFuture<Boolean> future = futures.get(i);
      log.complete(places[i], answer(Kind.REMOVE, () -> join(future)));
    }
  }

  /** Some failures come at once, others with the future. */
  private CompletableFuture<Boolean> removeAsync(long key) {
    try {
      return Removing.from(filter.strict).removeAsync(key);
    } catch (RemovedKeysFullException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Calls of one thread take effect in their order, which the times of calls that overlap do not
   * show.
   */
  private void comeAndGoAsync(long own) throws IOException {
    int added = log.begin(Kind.ADD, own, 0, 0);
    int removed = log.begin(Kind.REMOVE, own, 0, 0);
    CompletableFuture<Boolean> add = filter.strict.addAsync(own);
    CompletableFuture<Boolean> remove = removeAsync(own);
    Answer come = answer(Kind.ADD, () -> join(add));
    log.complete(added, come);
    Answer go = answer(Kind.REMOVE, () -> join(remove));
    log.complete(removed, go);
    boolean came = come == Answer.NEW || come == Answer.SEEN;
    boolean went = go == Answer.REMOVED || go == Answer.ABSENT;
    if (ask(filter.strict, own, 0) == Answer.YES && came && went) {
      throw new IllegalStateException(own + " was added and then removed, but is there");
    }
  }

  private static boolean join(CompletableFuture<Boolean> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  private void addEach(BloomFilter<Long> to, List<Long> some) throws IOException {
    changeEach(Kind.ADD, some, to::addEach);
  }

  private void removeEach(BloomFilter<Long> from, List<Long> some) throws IOException {
    changeEach(Kind.REMOVE, some, Removing.from(from)::removeEach);
  }

  private void changeEach(Kind kind, List<Long> some, Function<List<Long>, boolean[]> change)
      throws IOException {
    int[] places = begin(kind, some, 0, log.nextBatch());
    Answer[] answers = new Answer[places.length];
    try {
      boolean[] changed = change.apply(some);
      for (int i = 0; i < answers.length; i++) {
        answers[i] = answer(kind, changed[i]);
      }
    } catch (WriteFailedException | FilterUnavailableException | RemovedKeysFullException e) {
      Arrays.fill(answers, outcome(e));
    }
    complete(places, answers);
  }

  /** What a transaction of ours does to a key. */
  private record Change(Kind kind, long key) {}

  /** Some keys come, some go, and some do both. */
  private List<Change> mixed() {
    List<Change> changes = new ArrayList<>();
    for (long key : keys.some(2 * ADDS_IN_A_ROW, 0.3, 0.1)) {
      int dice = random.nextInt(6);
      if (dice < 4) {
        changes.add(new Change(Kind.ADD, key));
      }
      if (dice > 1) {
        changes.add(new Change(Kind.REMOVE, key));
      }
      if (dice == 3) {
        changes.add(new Change(Kind.ADD, key));
      }
    }
    changes.add(new Change(Kind.REMOVE, keys.ownKeyOfBefore()));
    return changes;
  }

  /** In a transaction of ours that may have begun long before, by what it has read. */
  private void within(List<Change> changes) throws IOException {
    Connection connection;
    try {
      connection = dataSource.getConnection();
    } catch (SQLException e) {
      // Nothing was begun, so there is nothing to log.
      return;
    }
    int batch = log.nextBatch();
    int[] places = new int[changes.size()];
    for (int i = 0; i < places.length; i++) {
      places[i] = log.begin(changes.get(i).kind, changes.get(i).key, 0, batch);
    }
    complete(places, answersWithin(connection, changes));
  }

  private Answer[] answersWithin(Connection connection, List<Change> changes) {
    Answer[] answers = new Answer[changes.size()];
    boolean committing = false;
    boolean committed = false;
    try (connection) {
      begin(connection);
      changeInParts(filter.strict.within(connection), changes, answers);
      if (random.nextInt(4) == 0) {
        connection.rollback();
      } else {
        committing = true;
        connection.commit();
        committed = true;
      }
    } catch (SQLException
        | WriteFailedException
        | FilterUnavailableException
        | RemovedKeysFullException
        | SchemaException e) {
      // A transaction cannot make the table of a bucket if nobody did so in time. What it means for
      // the keys follows from how far it came.
    }
    if (!committed) {
      Arrays.fill(answers, committing ? Answer.NONE : Answer.NOT_RECORDED);
    }
    return answers;
  }

  private void begin(Connection connection) throws SQLException {
    connection.setTransactionIsolation(
        random.nextBoolean()
            ? Connection.TRANSACTION_REPEATABLE_READ
            : Connection.TRANSACTION_READ_COMMITTED);
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT COUNT(*) FROM bloom_usage");
    }
  }

  /** Keys that come one after the other, or go so, may do it together. */
  private void changeInParts(
      TransactionalWrites<Long> within, List<Change> changes, Answer[] answers) {
    int from = 0;
    while (from < answers.length) {
      Kind kind = changes.get(from).kind;
      int to = from + 1;
      boolean together = random.nextBoolean();
      while (together && to < answers.length && changes.get(to).kind == kind) {
        to++;
      }
      List<Long> some = changes.subList(from, to).stream().map(Change::key).toList();
      boolean[] changed = change(within, kind, some);
      for (int i = from; i < to; i++) {
        answers[i] = answer(kind, changed[i - from]);
      }
      from = to;
    }
  }

  private static boolean[] change(TransactionalWrites<Long> within, Kind kind, List<Long> some) {
    if (kind == Kind.REMOVE) {
      return ((RemovableWrites<Long>) within).removeEach(some);
    }
    if (some.size() > 1) {
      return within.addEach(some);
    }
    return new boolean[] {within.add(some.get(0))};
  }

  private Answer ask(BloomFilter<Long> whom, long key, int bound) throws IOException {
    int place = log.begin(Kind.ASK, key, bound, 0);
    Answer answer;
    try {
      answer = whom.mightContain(key) ? Answer.YES : Answer.NO;
    } catch (FilterUnavailableException e) {
      answer = Answer.FAILED;
    }
    log.complete(place, answer);
    return answer;
  }

  private void askEach(BloomFilter<Long> whom, List<Long> some, int bound) throws IOException {
    int[] places = begin(Kind.ASK, some, bound, 0);
    Answer[] answers = new Answer[places.length];
    try {
      boolean[] present = whom.mightContainEach(some);
      for (int i = 0; i < answers.length; i++) {
        answers[i] = present[i] ? Answer.YES : Answer.NO;
      }
    } catch (FilterUnavailableException e) {
      Arrays.fill(answers, Answer.FAILED);
    }
    complete(places, answers);
  }

  private int[] begin(Kind kind, List<Long> some, int bound, int batch) throws IOException {
    int[] places = new int[some.size()];
    for (int i = 0; i < places.length; i++) {
      places[i] = log.begin(kind, some.get(i), bound, batch);
    }
    return places;
  }

  private void complete(int[] places, Answer[] answers) {
    for (int i = 0; i < places.length; i++) {
      // Who did not hear an answer does not complete.
      if (answers[i] != Answer.NONE) {
        log.complete(places[i], answers[i]);
      }
    }
  }
}
