package io.github.slotbloom.spark;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterAdmin;
import io.github.slotbloom.PrimaryDataSource;
import io.github.slotbloom.TransactionalWrites;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.UnsupportedVersionException;
import io.github.slotbloom.error.WriteFailedException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/**
 * Answers for a chunk which of its keys are new: the same in every attempt.
 *
 * <p>One transaction inserts the row of the chunk, adds the keys, and completes the row with the
 * answers. So there are either both, the keys and their answers, or neither. An attempt that finds
 * the row takes its answers. Of two attempts at once, the second waits at the primary key until the
 * first one has ended, and before it asks for the lock of the filter. Where a COMMIT gets no answer
 * the whole is tried again: it finds the row, or waits for it, or there is none and nothing was
 * added.
 *
 * <p>A filter does not grow within a transaction. So one that finds the filter outgrown is rolled
 * back, and repeated when there is room.
 *
 * @param filter the open filter
 * @param admin makes room in it
 * @param dataSource leads to its schema
 * @param run to which the answers belong
 */
record RecordedAnswers(
    BloomFilter<Object> filter, FilterAdmin admin, DataSource dataSource, FilterRun run) {

  private static final int FORMAT = 1;
  private static final int ATTEMPTS = 6;
  private static final long FIRST_PAUSE_MILLIS = 50;
  private static final int DUPLICATE_KEY = 1062;
  private static final int NO_SUCH_TABLE = 1146;

  /**
   * The transaction lost against another one: deadlock, lock wait timeout, record changed, conflict
   * with another server. The connection is as good as before.
   */
  private static final Set<Integer> CONFLICTS = Set.of(1213, 1205, 1020, 3101);

  /** The filter lacks room. Nothing was added, and nothing recorded. */
  private static final class OutgrownException extends Exception {
    private static final long serialVersionUID = 1L;
  }

  private static final String WHERE = " WHERE filter = ? AND run = ? AND part = ? AND chunk = ?";

  /** Returns for each key whether it is new. */
  boolean[] of(Chunk chunk) throws SQLException {
    long pause = FIRST_PAUSE_MILLIS;
    for (int attempt = 1; ; attempt++) {
      try {
        return roomy(chunk);
      } catch (SQLException e) {
        if (e.getErrorCode() == NO_SUCH_TABLE) {
          throw new SQLException(
              "The table bloom_spark_chunk is missing. Call RunTable.create, or have an operator"
                  + " run RunTable.sql().",
              e.getSQLState(),
              e.getErrorCode(),
              e);
        }
        if (attempt == ATTEMPTS || !PrimaryDataSource.mayPass(e)) {
          throw e;
        }
        requireNotInterrupted(e);
      } catch (WriteFailedException | FilterUnavailableException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
        requireNotInterrupted(e);
      }
      LockSupport.parkNanos(
          this, TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextLong(pause) + pause));
      pause *= 2;
    }
  }

  /** Others may have taken the room that was made. Each time there is at least twice as much. */
  private boolean[] roomy(Chunk chunk) throws SQLException {
    while (true) {
      try {
        return attempt(chunk);
      } catch (OutgrownException e) {
        requireNotInterrupted(e);
        admin.makeRoom(chunk.keys().size());
      }
    }
  }

  /** Spark interrupts a task that it has given up. */
  private static void requireNotInterrupted(Exception failure) throws SQLException {
    if (Thread.currentThread().isInterrupted()) {
      throw new SQLException(
          "The task was interrupted. Its next attempt continues where it stopped.", failure);
    }
  }

  private boolean[] attempt(Chunk chunk) throws SQLException, OutgrownException {
    try (Connection connection = dataSource.getConnection()) {
      boolean before = connection.getAutoCommit();
      try {
        connection.setAutoCommit(true);
        boolean[] answers = answers(connection, chunk);
        connection.setAutoCommit(before);
        return answers;
      } catch (OutgrownException | SQLException | RuntimeException | Error e) {
        if (e instanceof OutgrownException || isConflict(e)) {
          putBack(connection, before, e);
        } else {
          discard(connection, e);
        }
        throw e;
      }
    }
  }

  /** No transaction is open by now. */
  private static void putBack(Connection connection, boolean autoCommit, Throwable reason) {
    try {
      connection.setAutoCommit(autoCommit);
    } catch (SQLException e) {
      reason.addSuppressed(e);
      discard(connection, reason);
    }
  }

  private static boolean isConflict(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException e && CONFLICTS.contains(e.getErrorCode())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Closes the physical connection, and makes a call that fails with SQL state 08, so that a pool
   * does not lend it again: it may lead to a server that is the primary no more.
   */
  private static void discard(Connection connection, Throwable reason) {
    try {
      connection.abort(Runnable::run);
      connection.createStatement().close();
    } catch (SQLException | RuntimeException e) {
      reason.addSuppressed(e);
    }
  }

  private boolean[] answers(Connection connection, Chunk chunk)
      throws SQLException, OutgrownException {
    Optional<boolean[]> recorded = recorded(connection, chunk);
    if (recorded.isEmpty()) {
      recorded = record(connection, chunk);
    }
    // What the other attempt recorded is in no snapshot of the transaction that met it.
    return recorded.isPresent()
        ? recorded.get()
        : recorded(connection, chunk).orElseThrow(RecordedAnswers::vanished);
  }

  private static SQLException vanished() {
    return new SQLTransientException(
        "The answers of another attempt have just been forgotten. Forget a run only when nothing"
            + " evaluates its Dataset.");
  }

  private Optional<boolean[]> recorded(Connection connection, Chunk chunk) throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement(
            "SELECT format, digest, answers FROM bloom_spark_chunk" + WHERE)) {
      bindPlace(query, 1, chunk);
      try (ResultSet row = query.executeQuery()) {
        return row.next() ? Optional.of(answers(row, chunk)) : Optional.empty();
      }
    }
  }

  private boolean[] answers(ResultSet row, Chunk chunk) throws SQLException {
    if (row.getInt(1) != FORMAT) {
      throw new UnsupportedVersionException(
          ("The answers of run %s have format %s, which this version cannot read. Use the"
                  + " version that recorded them.")
              .formatted(run.id(), row.getInt(1)));
    }
    if (!Arrays.equals(row.getBytes(2), chunk.digest())) {
      throw new ChangedInputException(filter.name(), run, chunk);
    }
    BitSet fresh = BitSet.valueOf(row.getBytes(3));
    boolean[] answers = new boolean[chunk.keys().size()];
    for (int i = 0; i < answers.length; i++) {
      answers[i] = fresh.get(i);
    }
    return answers;
  }

  /** Adds the keys and records the answers. Returns empty if another attempt did it meanwhile. */
  private Optional<boolean[]> record(Connection connection, Chunk chunk)
      throws SQLException, OutgrownException {
    connection.setAutoCommit(false);
    try {
      Optional<boolean[]> answers = Optional.empty();
      if (insert(connection, chunk)) {
        TransactionalWrites<Object> adds = filter.within(connection);
        boolean[] fresh = adds.addEach(chunk.keys());
        if (adds.outgrown()) {
          connection.rollback();
          connection.setAutoCommit(true);
          throw new OutgrownException();
        }
        complete(connection, chunk, fresh);
        connection.commit();
        answers = Optional.of(fresh);
      } else {
        connection.rollback();
      }
      connection.setAutoCommit(true);
      return answers;
    } catch (SQLException | RuntimeException | Error e) {
      giveUp(connection, e);
      throw e;
    }
  }

  /** Ends the transaction, or else the connection, since autocommit mode would commit the rest. */
  private static void giveUp(Connection connection, Throwable reason) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      reason.addSuppressed(e);
      discard(connection, reason);
    }
  }

  private boolean insert(Connection connection, Chunk chunk) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO bloom_spark_chunk"
                + " (filter, run, part, chunk, format, digest, answers, made_at)"
                + " VALUES (?, ?, ?, ?, ?, ?, '', UTC_TIMESTAMP(3))")) {
      bindPlace(insert, 1, chunk);
      insert.setInt(5, FORMAT);
      insert.setBytes(6, chunk.digest());
      insert.executeUpdate();
      return true;
    } catch (SQLException e) {
      if (e.getErrorCode() == DUPLICATE_KEY) {
        return false;
      }
      throw e;
    }
  }

  private void complete(Connection connection, Chunk chunk, boolean[] answers) throws SQLException {
    BitSet fresh = new BitSet(answers.length);
    for (int i = 0; i < answers.length; i++) {
      fresh.set(i, answers[i]);
    }
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE bloom_spark_chunk SET answers = ?" + WHERE)) {
      update.setBytes(1, fresh.toByteArray());
      bindPlace(update, 2, chunk);
      update.executeUpdate();
    }
  }

  private void bindPlace(PreparedStatement statement, int from, Chunk chunk) throws SQLException {
    statement.setString(from, filter.name());
    statement.setString(from + 1, run.id());
    statement.setInt(from + 2, chunk.partition());
    statement.setInt(from + 3, chunk.number());
  }
}
