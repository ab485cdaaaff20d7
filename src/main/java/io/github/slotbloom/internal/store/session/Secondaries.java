package io.github.slotbloom.internal.store.session;

import io.github.slotbloom.error.UnsupportedVersionException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Members of the group of a primary that answer reads in its place. After a failure no read waits
 * for them until {@link #tryAgain} has found one that answers. Thread-safe.
 */
final class Secondaries {

  private static final Logger log = LoggerFactory.getLogger(Secondaries.class);
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final DataSource dataSource;
  private final String group;
  private final LongSupplier nanoTime;

  /** Null until a member was reached. */
  private volatile @Nullable Database members;

  private volatile boolean failing;
  private volatile long failedAt;

  /**
   * Creates secondaries that were not reached yet.
   *
   * @param group the name of the group that they must belong to
   * @param nanoTime a monotonic clock in nanoseconds
   */
  Secondaries(DataSource dataSource, String group, LongSupplier nanoTime) {
    this.dataSource = dataSource;
    this.group = group;
    this.nanoTime = nanoTime;
  }

  /**
   * Connects to a member, and finds out if it can be used.
   *
   * @throws DatabaseFailure if none can be reached, or it is not ONLINE in the majority
   * @throws UnsupportedVersionException if it can never be used
   */
  private Database connect() {
    Database connected = Database.connectToMembers(dataSource);
    String other = connected.groupName();
    if (!other.equals(group)) {
      throw new UnsupportedVersionException(
          ("The primary is in the group %s, and the data source of its secondaries connects"
                  + " to group %s. Use a data source for the same group.")
              .formatted(group, other));
    }
    members = connected;
    return connected;
  }

  /**
   * Connects for the first time. Goes on without secondaries if none can be reached now.
   *
   * @throws UnsupportedVersionException if they can never be used
   */
  void begin() {
    try {
      connect();
    } catch (DatabaseFailure e) {
      pause(e);
    }
  }

  /**
   * Runs work that only reads, as {@link Database#read} does.
   *
   * @return empty if no secondary can do it now
   * @throws DatabaseFailure if a table is missing
   */
  <T> Optional<T> read(Function<Tx, T> work) {
    Database connected = members;
    if (failing || connected == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(connected.read(work));
    } catch (DatabaseFailure e) {
      if (e.tableMissing()) {
        throw e;
      }
      pause(e);
      return Optional.empty();
    }
  }

  /** Returns true if five seconds have passed since a failure. */
  boolean mayTryAgain() {
    return failing && nanoTime.getAsLong() - failedAt >= PAUSE_NANOS;
  }

  /**
   * Finds out if a secondary answers again. The pool may wait for long if the server is down, so no
   * read does this.
   */
  void tryAgain() {
    try {
      Database connected = members;
      (connected == null ? connect() : connected).transact(Secondaries::readTable);
      failing = false;
      log.info("secondaries answer again");
    } catch (DatabaseFailure | UnsupportedVersionException e) {
      pause(e);
    } catch (RuntimeException | Error e) {
      failedAt = nanoTime.getAsLong();
      throw e;
    }
  }

  /** Waits for what the group has committed, as a lookup does. */
  private static boolean readTable(Tx tx) {
    return tx.dsl().selectOne().from(DSL.table("bloom_filter")).limit(1).fetch().isNotEmpty();
  }

  private void pause(RuntimeException reason) {
    failedAt = nanoTime.getAsLong();
    if (!failing) {
      failing = true;
      log.warn("no secondary answers, so the primary is queried: {}", reason.getMessage());
    }
  }
}
