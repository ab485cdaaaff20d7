package io.github.slotbloom.internal.admin;

import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.error.UnsupportedVersionException;
import io.github.slotbloom.internal.failure.Failures;
import io.github.slotbloom.internal.failure.Retry;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.sql.Quoted;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.ExpiryRows;
import io.github.slotbloom.internal.store.catalog.HeadLock;
import io.github.slotbloom.internal.store.catalog.SchemaTables;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.ServerSettings;
import io.github.slotbloom.internal.store.session.Servers;
import io.github.slotbloom.internal.store.session.Transactions;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.Deadline;
import io.github.slotbloom.internal.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads which filters there are and what they are like. Thread-safe. */
public final class FilterDirectory implements Transactions {

  private static final Logger log = LoggerFactory.getLogger(FilterDirectory.class);

  /** A message about a missing filter names so many others. */
  private static final int MOST_NAMED = 10;

  private static final String MIGRATE_FIRST =
      "Some or all of the bloom_ tables and views are missing from the schema. Run migrate once"
          + " with an account that can create tables (slotbloom migrate, or SlotBloom.migrate()),"
          + " or have an operator run the SQL printed by slotbloom migrate --print-sql or"
          + " SlotBloom.schemaSql().";

  private final Database database;
  private final TimeSource time;
  private volatile Consumer<FilterName> expired = name -> {};

  private FilterDirectory(Database database, TimeSource time) {
    this.database = database;
    this.time = time;
  }

  /**
   * Connects.
   *
   * @param time what retries and rests go by
   */
  public static FilterDirectory connect(DataSource dataSource, TimeSource time) {
    return connecting(() -> new FilterDirectory(Database.connect(dataSource), time));
  }

  private static <T> T connecting(Supplier<T> work) {
    try {
      return work.get();
    } catch (DatabaseFailure e) {
      throw Failures.databaseUnavailable(e);
    }
  }

  /**
   * Sets who is told of each filter that is found expired.
   *
   * @param who must not wait
   */
  public void tellOfExpired(Consumer<FilterName> who) {
    expired = who;
  }

  public TimeSource time() {
    return time;
  }

  public Database database() {
    return database;
  }

  /**
   * Returns the database, and the secondaries that answer in its place, if there are some.
   *
   * @param nanoTime a monotonic clock in nanoseconds
   * @throws FilterUnavailableException if the database could not be reached
   * @throws io.github.slotbloom.error.UnsupportedVersionException if the secondaries can never be
   *     used
   */
  public Servers servers(@Nullable DataSource secondaries, LongSupplier nanoTime) {
    return secondaries == null
        ? Servers.only(database)
        : connecting(() -> Servers.withSecondaries(database, secondaries, nanoTime));
  }

  public ServerSettings serverSettings() {
    return ask(ServerSettings::read);
  }

  /**
   * Runs work in a transaction, and translates its failures. It tries again for a moment if the
   * failure may pass, even if it is not known whether COMMIT succeeded. So the work must be safe to
   * repeat.
   *
   * @throws FilterUnavailableException if the database could not be reached
   * @throws SchemaException if the base tables are missing
   */
  @Override
  public <T> T ask(Function<Tx, T> work) {
    return translating(() -> database.transact(work));
  }

  /** Looks for a filter as {@link #ask} does, without a transaction. */
  private Optional<FilterRecord> look(Function<Tx, Optional<FilterRecord>> find) {
    return translating(() -> database.read(find));
  }

  private <T> T translating(Supplier<T> work) {
    try {
      return Retry.briefly(time, Failures::repeatable, Failures::cameAtOnce, work);
    } catch (DatabaseFailure e) {
      throw Failures.ofDatabase(e, () -> whatIsMissing(e));
    }
  }

  /**
   * Does the same as {@link #ask}, but tries for longer. So work of hours survives a restart of the
   * server, and a transaction that holds the filter's lock for long.
   *
   * @throws FilterUnavailableException if it does not succeed in time
   */
  public <T> T askPatiently(Function<Tx, T> work) {
    return patiently(() -> ask(work));
  }

  /** Runs work that may be repeated, as {@link #askPatiently} does. */
  public <T> T patiently(Supplier<T> work) {
    return Retry.patiently(time, e -> e instanceof FilterUnavailableException, work);
  }

  private String whatIsMissing(DatabaseFailure e) {
    return database
        .transact(FilterDirectory::schemaFault)
        .orElseGet(
            () ->
                "A slot table is missing or was changed: "
                    + e.getMessage()
                    + ". Verify the filter; if keys were lost, restore the bloom_ tables from one"
                    + " backup.");
  }

  /** Returns what is wrong with the base tables and views, with a remedy. */
  private static Optional<String> schemaFault(Tx tx) {
    if (SchemaTables.areOfDevelopment(tx)) {
      return Optional.of(SchemaTables.OF_DEVELOPMENT);
    }
    return SchemaTables.areComplete(tx) ? Optional.empty() : Optional.of(MIGRATE_FIRST);
  }

  /**
   * Locks the head of a filter that something is to be done to.
   *
   * @param what part of a sentence
   * @throws FilterNotFoundException if it is gone, was renamed, or is being dropped
   */
  public FilterHead lockActive(Tx tx, FilterRecord filter, String what) {
    FilterHead head =
        HeadLock.takeOnAllServers(tx, filter)
            .filter(found -> found.isOver() || found.state() != FilterState.DROPPING)
            .orElseThrow(
                () ->
                    new FilterNotFoundException(
                        "Filter " + filter.name() + " was dropped before it could " + what + "."));
    if (head.isOver()) {
      throw over(filter.name(), head);
    }
    return head;
  }

  /**
   * Does the same as {@link #lockActive}, and returns the filter as it is under the lock; empty if
   * it has other generations by now.
   */
  public Optional<FilterRecord> lockKnown(Tx tx, FilterRecord filter, String what) {
    FilterHead head = lockActive(tx, filter, what);
    return filter.knows(head)
        ? Optional.of(filter.with(head, filter.manifest()))
        : Optional.empty();
  }

  public boolean isMigrated() {
    return ask(FilterDirectory::schemaFault).isEmpty();
  }

  public List<String> names() {
    Map<String, FilterState> found = ask(Catalog::names);
    List<String> names = new ArrayList<>();
    found.forEach(
        (name, state) -> {
          if (state == FilterState.ACTIVE) {
            names.add(name);
          } else {
            expired.accept(new FilterName(name));
          }
        });
    return names;
  }

  /**
   * Reads all filters that can be read, also those that expired and can be restored. One that
   * cannot, as of a later version, hides no other.
   */
  public List<FilterRecord> all() {
    List<FilterRecord> filters = new ArrayList<>();
    for (String name : ask(Catalog::names).keySet()) {
      try {
        findExpiredToo(new FilterName(name))
            .filter(filter -> filter.head().state() != FilterState.DROPPING)
            .ifPresent(filters::add);
      } catch (UnsupportedVersionException | CorruptFilterException e) {
        log.warn("a filter cannot be listed: {}", e.getMessage());
      }
    }
    return filters;
  }

  public Instant databaseTime() {
    return ask(ExpiryRows::now);
  }

  public Optional<FilterRecord> find(FilterName name) {
    return findExpiredToo(name).filter(filter -> !filter.head().isOver());
  }

  /**
   * Does the same as {@link #find}, but says of a filter that cannot be used why that is.
   *
   * @throws FilterNotFoundException if it expired, is being dropped, or is not complete yet
   */
  public Optional<FilterRecord> findUsable(FilterName name) {
    Optional<FilterRecord> found = look(tx -> Catalog.find(tx, name));
    found.ifPresent(this::tellIfOver);
    found
        .filter(filter -> filter.head().state() != FilterState.ACTIVE)
        .ifPresent(
            filter -> {
              throw over(name, filter.head());
            });
    return found;
  }

  public FilterRecord require(FilterName name) {
    return requireLasting(requireExpiredToo(name));
  }

  /**
   * Runs steps of opening a filter, which may be repeated. They wait for a database that cannot be
   * used.
   *
   * @param timeout how long it is tried; two seconds if that is more
   * @param listener is told of each failure after which it is tried again
   */
  public <T> T waiting(
      FilterName filter, Duration timeout, SlotBloomListener listener, Supplier<T> steps) {
    Deadline deadline = Deadline.in(time, timeout);
    AtomicInteger attempts = new AtomicInteger();
    return Retry.ofCall()
        .until(
            deadline,
            e -> {
              if (!(e instanceof FilterUnavailableException
                  && e.getCause() instanceof DatabaseFailure failure
                  && Failures.repeatable(failure)
                  && !deadline.passed())) {
                return false;
              }
              listener.on(
                  new SlotBloomEvent.Retrying(filter.value(), attempts.incrementAndGet(), failure));
              return true;
            },
            steps);
  }

  private static FilterRecord requireLasting(FilterRecord filter) {
    if (filter.head().isOver()) {
      throw over(filter.name(), filter.head());
    }
    return filter;
  }

  /** As {@link #require}, also of a filter that expired and that nobody has removed yet. */
  FilterRecord requireExpiredToo(FilterName name) {
    return findExpiredToo(name).orElseThrow(() -> notFound(name));
  }

  private Optional<FilterRecord> findExpiredToo(FilterName name) {
    Optional<FilterRecord> found =
        look(tx -> Catalog.find(tx, name))
            .filter(filter -> filter.head().state() != FilterState.RESERVING)
            .filter(filter -> filter.head().state() != FilterState.IMPORTING);
    found.ifPresent(this::tellIfOver);
    return found;
  }

  private void tellIfOver(FilterRecord filter) {
    if (filter.head().isOver()) {
      expired.accept(filter.name());
    }
  }

  /** Returns the exception for a filter in any state but {@link FilterState#ACTIVE}. */
  static RuntimeException over(FilterName name, FilterHead head) {
    return new Failures(name).translate(FilterNotReady.in(name, head));
  }

  /**
   * Reads a filter that was read before as it is now.
   *
   * @throws FilterNotFoundException if it is gone or expired, even if another one has its name
   *     since, or if it was renamed
   */
  public FilterRecord require(FilterRecord before) {
    FilterRecord now =
        look(tx -> Catalog.find(tx, before)).orElseThrow(() -> notFound(before.name()));
    tellIfOver(now);
    return requireLasting(now);
  }

  /** As {@link #require}, also of a filter that was begun to be made. */
  public FilterRecord requireToDrop(FilterName name) {
    return look(tx -> Catalog.find(tx, name)).orElseThrow(() -> notFound(name));
  }

  /**
   * Refuses to make a missing filter through a pool for reading.
   *
   * @throws FilterNotFoundException if the connections are for reading alone
   */
  public void requireMayMake(FilterName name) {
    if (database.isForReading()) {
      throw new FilterNotFoundException(
          ("There is no filter %s, and it cannot be created because the connections of this pool"
                  + " are read-only (isReadOnly). Create it through a pool that can write.")
              .formatted(name));
    }
  }

  private FilterNotFoundException notFound(FilterName name) {
    // It may be there only to expire at this moment.
    List<String> names = names().stream().filter(other -> !other.equals(name.value())).toList();
    int more = names.size() - MOST_NAMED;
    String named =
        names.stream().limit(MOST_NAMED).map(Quoted::name).collect(Collectors.joining(", "));
    return new FilterNotFoundException(
        "There is no filter %s%s"
            .formatted(
                name,
                names.isEmpty()
                    ? ", nor any other filter. Create it first (slotbloom reserve, or"
                        + " SlotBloom.reserve)."
                    : ". There are " + named + (more > 0 ? " and " + more + " more." : ".")));
  }
}
