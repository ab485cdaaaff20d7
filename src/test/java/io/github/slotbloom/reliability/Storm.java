package io.github.slotbloom.reliability;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.TransactionalAdds;
import io.github.slotbloom.error.AddFailedException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.reliability.Operation.Answer;
import io.github.slotbloom.reliability.Operation.Kind;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
  private static final int ADDS_IN_A_ROW = 3;

  private final Handles filter;
  private final DataSource dataSource;
  private final HistoryLog log;
  private final StormKeys keys;
  private final Random random;
  private final int boundMillis;

  Storm(
      Handles filter,
      DataSource dataSource,
      HistoryLog log,
      StormKeys keys,
      Random random,
      int boundMillis) {
    this.filter = filter;
    this.dataSource = dataSource;
    this.log = log;
    this.keys = keys;
    this.random = random;
    this.boundMillis = boundMillis;
  }

  /** Does one thing. */
  void once() throws IOException {
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
      addWithin(keys.some(2 * ADDS_IN_A_ROW, 0.3, 0.1));
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
    log.complete(place, added(() -> to.add(key)));
  }

  private static Answer added(Supplier<Boolean> add) {
    try {
      return add.get() ? Answer.NEW : Answer.SEEN;
    } catch (AddFailedException e) {
      return outcome(e);
    } catch (FilterUnavailableException e) {
      return Answer.NONE;
    }
  }

  private static Answer outcome(AddFailedException e) {
    return switch (e.outcome()) {
      case NOT_RECORDED -> Answer.NOT_RECORDED;
      case UNKNOWN -> Answer.NONE;
    };
  }

  private void addAsync(List<Long> some) throws IOException {
    int[] places = begin(Kind.ADD, some, 0, 0);
    List<CompletableFuture<Boolean>> futures = some.stream().map(filter.strict::addAsync).toList();
    for (int i = 0; i < places.length; i++) {
      CompletableFuture<Boolean> future = futures.get(i);
      log.complete(places[i], added(() -> join(future)));
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
    int[] places = begin(Kind.ADD, some, 0, log.nextBatch());
    Answer[] answers = new Answer[places.length];
    try {
      boolean[] fresh = to.addEach(some);
      for (int i = 0; i < answers.length; i++) {
        answers[i] = fresh[i] ? Answer.NEW : Answer.SEEN;
      }
    } catch (AddFailedException e) {
      Arrays.fill(answers, outcome(e));
    } catch (FilterUnavailableException e) {
      Arrays.fill(answers, Answer.NONE);
    }
    complete(places, answers);
  }

  /** In a transaction of ours that may have begun long before, by what it has read. */
  private void addWithin(List<Long> some) throws IOException {
    Connection connection;
    try {
      connection = dataSource.getConnection();
    } catch (SQLException e) {
      // Nothing was begun, so there is nothing to log.
      return;
    }
    int[] places = begin(Kind.ADD, some, 0, log.nextBatch());
    complete(places, answersWithin(connection, some));
  }

  private Answer[] answersWithin(Connection connection, List<Long> some) {
    Answer[] answers = new Answer[some.size()];
    boolean committing = false;
    boolean committed = false;
    try (connection) {
      begin(connection);
      addInParts(filter.strict.within(connection), some, answers);
      if (random.nextInt(4) == 0) {
        connection.rollback();
      } else {
        committing = true;
        connection.commit();
        committed = true;
      }
    } catch (SQLException | AddFailedException | FilterUnavailableException e) {
      // What it means for the keys follows from how far it came.
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
      statement.execute("SELECT COUNT(*) FROM bloom_name");
    }
  }

  private void addInParts(TransactionalAdds<Long> adds, List<Long> some, Answer[] answers) {
    int first = random.nextInt(some.size());
    for (int i = 0; i < first; i++) {
      answers[i] = adds.add(some.get(i)) ? Answer.NEW : Answer.SEEN;
    }
    boolean[] fresh = adds.addEach(some.subList(first, some.size()));
    for (int i = 0; i < fresh.length; i++) {
      answers[first + i] = fresh[i] ? Answer.NEW : Answer.SEEN;
    }
  }

  private void ask(BloomFilter<Long> whom, long key, int bound) throws IOException {
    int place = log.begin(Kind.ASK, key, bound, 0);
    Answer answer;
    try {
      answer = whom.mightContain(key) ? Answer.YES : Answer.NO;
    } catch (FilterUnavailableException e) {
      answer = Answer.FAILED;
    }
    log.complete(place, answer);
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
