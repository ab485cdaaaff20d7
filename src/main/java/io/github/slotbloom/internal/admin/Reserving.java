package io.github.slotbloom.internal.admin;

import static java.util.stream.Collectors.joining;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.error.FilterExistsException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.context.Waiting;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.catalog.ExpiryRows;
import io.github.slotbloom.internal.store.catalog.FilterTable;
import io.github.slotbloom.internal.store.catalog.NewFilter;
import io.github.slotbloom.internal.store.catalog.Reservation;
import io.github.slotbloom.internal.store.catalog.ReservationRows;
import io.github.slotbloom.internal.time.Deadline;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Makes filters: first its rows, in a state in which nobody can use it, then its slot table, then
 * it is made usable. A run that was interrupted in between is taken over by the next one of the
 * same name, after a while.
 */
public final class Reserving {

  /** How long a process may answer from memory after it last heard of the others. */
  public static final Duration LEASE = Duration.ofSeconds(2);

  /** Longer than any call may take, so that the outcome of a lost commit can be looked up. */
  public static final Duration RETENTION = Duration.ofHours(2);

  private static final String BY_AN_OPERATOR =
      ", or have an operator run the SQL printed by slotbloom reserve --print-sql or"
          + " SlotBloom.reserveSql()";

  private static final SecureRandom SEEDS = new SecureRandom();

  private static final Duration TAKE_OVER_AFTER = Duration.ofSeconds(15);
  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final FilterDirectory directory;
  private final SlotTables slotTables;
  private final Expiring expiring;

  public Reserving(FilterDirectory directory, FilterEngines engines) {
    this.directory = directory;
    this.expiring = new Expiring(directory, engines);
    this.slotTables = new SlotTables(directory);
  }

  /**
   * @param timeout how long to wait for another process that reserves the same name, at least
   * @throws FilterExistsException if there is a filter of that name
   * @throws InvalidParameterException if it would be expired already
   */
  public void reserve(FilterName name, FilterSpec<?> spec, Duration timeout) {
    Reservation reservation = begin(name, spec, timeout);
    try {
      List<FilterTable> tables = tables(reservation, spec);
      slotTables.makeFirst(tables, BY_AN_OPERATOR, "reserve");
      finish(reservation, tables);
    } catch (RuntimeException e) {
      giveUp(reservation, e);
      throw e;
    }
  }

  private static List<FilterTable> tables(Reservation reservation, FilterSpec<?> spec) {
    return FilterTable.ofNew(reservation.tables(), spec.removablePercent().isPresent());
  }

  /**
   * Gives a filter its number, which the next {@link #reserve} of that name takes over.
   *
   * @return the statements that create its tables
   * @throws FilterExistsException if there is a filter of that name
   */
  public String sql(FilterName name, FilterSpec<?> spec) {
    Reservation reservation = begin(name, spec, Waiting.STEP_TIMEOUT);
    directory.ask(tx -> ReservationRows.giveUp(tx, reservation));
    return tables(reservation, spec).stream().map(FilterTable::sql).collect(joining());
  }

  private Reservation begin(FilterName name, FilterSpec<?> spec, Duration timeout) {
    NewFilter filter =
        new NewFilter(
            name,
            spec.keyType().id(),
            spec.hash().id(),
            Seed.of(spec.hash().id(), spec.seed().orElseGet(SEEDS::nextLong)),
            spec.growable(),
            spec.retainHashes(),
            spec.removablePercent().orElse(0),
            spec.firstGenerationCapacity(),
            spec.falsePositiveRate(),
            spec.firstGenerationRate(),
            spec.parameters(),
            spec.onFull(),
            LEASE,
            RETENTION,
            spec.window().orElse(null),
            spec.expiresAt().orElse(null));
    requireToCome(name, spec);
    expiring.makeWay(name);
    Deadline deadline = Deadline.in(directory.time(), timeout);
    long token = Tokens.next();
    while (true) {
      Optional<Reservation> reservation =
          directory.ask(tx -> ReservationRows.reserve(tx, filter, token, TAKE_OVER_AFTER));
      if (reservation.isPresent()) {
        return reservation.get();
      }
      if (deadline.passed() || Thread.currentThread().isInterrupted()) {
        throw new FilterExistsException(
            "Filter "
                + name
                + " is being created by another process, which has not finished. Try again.");
      }
      directory.time().rest(this, LOOK_AGAIN_NANOS);
    }
  }

  private void requireToCome(FilterName name, FilterSpec<?> spec) {
    spec.expiresAt()
        .filter(at -> directory.ask(tx -> ExpiryRows.hasCome(tx, at)))
        .ifPresent(
            at -> {
              throw new InvalidParameterException(
                  ("Filter %s cannot expire at %s, because that time has passed by the database"
                          + " clock. Use a later time.")
                      .formatted(name, at));
            });
  }

  /** Lets the next one go on at once, with the same table. */
  private void giveUp(Reservation reservation, RuntimeException reason) {
    try {
      directory.ask(tx -> ReservationRows.giveUp(tx, reservation));
    } catch (RuntimeException e) {
      reason.addSuppressed(e);
    }
  }

  /**
   * As {@link #reserve}, but does nothing if there is a filter of that name, or if another process
   * makes it first.
   */
  public void reserveIfMissing(FilterName name, FilterSpec<?> spec, Duration timeout) {
    Deadline deadline = Deadline.in(directory.time(), timeout);
    while (directory.find(name).isEmpty()) {
      try {
        reserve(name, spec, timeout);
      } catch (FilterExistsException e) {
        // Another process made it, or makes it now.
        if (deadline.passed() || Thread.currentThread().isInterrupted()) {
          throw e;
        }
        directory.time().rest(this, LOOK_AGAIN_NANOS);
      }
    }
  }

  private void finish(Reservation reservation, List<FilterTable> tables) {
    if (!directory.ask(tx -> ReservationRows.activate(tx, reservation, tables))) {
      FilterExistsException late =
          new FilterExistsException(
              ("Filter %s was created or dropped by another process while this one was suspended."
                      + " Open it, or choose another name.")
                  .formatted(reservation.name()));
      slotTables.dropOrphans(reservation.tables().filterId(), tables, late);
      throw late;
    }
  }
}
