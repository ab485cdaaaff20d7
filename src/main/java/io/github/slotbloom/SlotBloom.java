package io.github.slotbloom;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.admin.ExpiredFilters;
import io.github.slotbloom.internal.admin.Expiring;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.admin.Growing;
import io.github.slotbloom.internal.admin.InfoReader;
import io.github.slotbloom.internal.admin.Reserving;
import io.github.slotbloom.internal.admin.Rotating;
import io.github.slotbloom.internal.admin.SpecCheck;
import io.github.slotbloom.internal.admin.StatusReader;
import io.github.slotbloom.internal.background.Callbacks;
import io.github.slotbloom.internal.context.Waiting;
import io.github.slotbloom.internal.duty.Rotation;
import io.github.slotbloom.internal.engine.FilterEngine;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.engine.SafeListener;
import io.github.slotbloom.internal.mirror.MirrorRoom;
import io.github.slotbloom.internal.opened.EngineBloomFilter;
import io.github.slotbloom.internal.opened.EngineBloomFilter.Environment;
import io.github.slotbloom.internal.opened.EngineRemovableFilter;
import io.github.slotbloom.internal.replace.Rebuilding;
import io.github.slotbloom.internal.schema.Schema;
import io.github.slotbloom.internal.schema.SchemaSql;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.time.TimeSource;
import io.github.slotbloom.internal.transfer.Snapshots;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Creates, opens and manages the Bloom filters in one database schema. The application provides the
 * {@link DataSource}, a pool of at least one connection. Closing this object does not close the
 * data source.
 *
 * <p>Thread-safe. A process needs one instance per data source, and one open {@link BloomFilter}
 * per filter, because each open filter holds a mirror of its own.
 *
 * <p>Every method that accesses the database may throw {@link
 * io.github.slotbloom.error.FilterUnavailableException}, and {@link
 * io.github.slotbloom.error.SchemaException} if the tables are missing. After {@link #close} it
 * throws {@link io.github.slotbloom.error.FilterClosedException}.
 */
public final class SlotBloom implements AutoCloseable {

  private static final Duration LONGEST_MIGRATION = Duration.ofMinutes(10);

  private final FilterDirectory directory;
  private final DataSource dataSource;
  private final FilterEngines engines;
  private final Callbacks callbacks;
  private final Growing growing;
  private final ExpiredFilters expired;
  private final SlotBloomListener listener;
  private final Set<BloomFilter<?>> open = ConcurrentHashMap.newKeySet();

  /** The filters that the listener was told are open: one for all that share an engine. */
  private final Map<FilterEngine, BloomFilter<?>> told = new ConcurrentHashMap<>();

  private final AtomicBoolean closed = new AtomicBoolean();

  private SlotBloom(Builder builder) {
    callbacks = new Callbacks(builder.callbackExecutor, builder.time::nanoTime);
    listener = new SafeListener(builder.listeners);
    directory = FilterDirectory.connect(builder.dataSource, builder.time);
    dataSource = builder.dataSource;
    growing = new Growing(directory, new Rotating(directory, new Rotation(builder.time)));
    engines =
        new FilterEngines(
            directory.servers(builder.secondaries, builder.time::nanoTime),
            directory.serverSettings(),
            builder.time,
            listener,
            growing,
            builder.threads.get(),
            builder.timer.get());
    engines.onEachTick(callbacks::tick);
    engines.rebuildBy(new Rebuilding(directory, engines));
    expired = new ExpiredFilters(new Expiring(directory, engines), engines.io(), builder.time);
    engines.tellOfExpired(expired::noticed);
    directory.tellOfExpired(expired::noticed);
  }

  /**
   * Connects with default settings: no listener, and callbacks on threads of the library.
   *
   * @param dataSource the pool of the application, which closes it
   * @return a connected instance; the base tables need not exist yet
   * @throws io.github.slotbloom.error.FilterUnavailableException if the database cannot be reached
   * @throws io.github.slotbloom.error.UnsupportedVersionException if the server is too old
   */
  public static SlotBloom on(DataSource dataSource) {
    return builder(dataSource).build();
  }

  /**
   * Returns a builder with default settings. The database is first accessed in {@link
   * Builder#build}.
   *
   * @param dataSource the pool of the application, which closes it
   * @return a builder
   */
  public static Builder builder(DataSource dataSource) {
    return new Builder(Objects.requireNonNull(dataSource, "dataSource"));
  }

  /**
   * Creates the base tables and views. Needs the privileges CREATE, CREATE VIEW and DROP, and
   * Flyway on the class path. It is safe to call this again, and from several processes at once:
   * one migrates, and the others wait for it, at most ten minutes.
   *
   * @throws io.github.slotbloom.error.SchemaException if the tables could not be created
   * @throws io.github.slotbloom.error.FilterUnavailableException if others did not end in time
   */
  public void migrate() {
    migrate(LONGEST_MIGRATION);
  }

  /**
   * Does the same as {@link #migrate()}, but waits for others at most as long as given. An
   * interrupt ends that wait, too.
   *
   * @param timeout how long to wait for another process that is migrating, and for each lock on a
   *     table that a transaction uses; whole seconds, at least one
   * @throws io.github.slotbloom.error.SchemaException if the tables could not be created
   * @throws io.github.slotbloom.error.FilterUnavailableException if others did not end in time, or
   *     the thread was interrupted
   */
  public void migrate(Duration timeout) {
    requireOpen();
    schema().migrate(timeout);
  }

  /** {@return true if the base tables and views exist} */
  public boolean isMigrated() {
    requireOpen();
    return directory.isMigrated();
  }

  /** {@return the SQL that {@link #migrate} runs, for an operator or another migration tool} */
  public static String schemaSql() {
    return SchemaSql.base();
  }

  /**
   * Gives a filter its number, and returns the SQL that creates its tables, whose names have that
   * number. Once an operator ran it, {@link #reserve} does not need the CREATE privilege.
   *
   * @param name the name of the filter, which must not exist
   * @param spec the parameters with which it is to be created
   * @return one statement, or two if keys can be removed
   * @throws io.github.slotbloom.error.FilterExistsException if a filter of that name exists
   * @throws io.github.slotbloom.error.InvalidParameterException if the name is not valid
   */
  public String reserveSql(String name, FilterSpec<?> spec) {
    requireOpen();
    return new Reserving(directory, engines).sql(new FilterName(name), spec);
  }

  /**
   * Creates a filter and opens it. Needs the CREATE privilege, unless its tables were created
   * before with the SQL of {@link #reserveSql}.
   *
   * @param <K> the type of the keys
   * @param name 1 to 200 characters without control characters
   * @param spec the parameters of the filter, which are stored
   * @param options settings of this process, which are not stored
   * @return the empty filter
   * @throws io.github.slotbloom.error.FilterExistsException if a filter of that name exists
   * @throws io.github.slotbloom.error.InvalidParameterException if the name is not valid
   * @throws io.github.slotbloom.error.MirrorTooLargeException if a mirror is requested and the heap
   *     could never hold the bits; nothing is created
   */
  public <K> BloomFilter<K> reserve(String name, FilterSpec<K> spec, FilterOptions options) {
    FilterName filter = new FilterName(name);
    requireOpen();
    requireRoom(filter, spec, options);
    new Reserving(directory, engines).reserve(filter, spec, Waiting.STEP_TIMEOUT);
    return open(name, spec, options);
  }

  /**
   * Does the same for a filter from which keys can be removed.
   *
   * @param <K> the type of the keys
   * @param name as for other filters
   * @param spec as for other filters
   * @param options as for other filters
   * @return the filter
   * @throws io.github.slotbloom.error.SlotBloomException as for other filters
   */
  public <K> RemovableFilter<K> reserve(
      String name, FilterSpec.Removable<K> spec, FilterOptions options) {
    return removable(reserve(name, (FilterSpec<K>) spec, options));
  }

  /**
   * Creates a filter and opens it with {@link FilterOptions#defaults()}.
   *
   * @param <K> the type of the keys
   * @param name 1 to 200 characters without control characters
   * @param spec the parameters of the filter, which are stored
   * @return the empty filter
   * @throws io.github.slotbloom.error.FilterExistsException if a filter of that name exists
   */
  public <K> BloomFilter<K> reserve(String name, FilterSpec<K> spec) {
    return reserve(name, spec, FilterOptions.defaults());
  }

  /**
   * Does the same for a filter from which keys can be removed.
   *
   * @param <K> the type of the keys
   * @param name as for other filters
   * @param spec as for other filters
   * @return the filter
   * @throws io.github.slotbloom.error.SlotBloomException as for other filters
   */
  public <K> RemovableFilter<K> reserve(String name, FilterSpec.Removable<K> spec) {
    return reserve(name, spec, FilterOptions.defaults());
  }

  /**
   * Opens a filter of any size. Only the key type must match. If this object has it open with equal
   * options, both share the mirror and the threads, and the last one that is closed ends them.
   *
   * @param <K> the type of the keys
   * @param name the name of an existing filter
   * @param keyType the key type that the filter was created with
   * @param options settings of this process
   * @return the filter, with its mirror loaded; loading takes as long as reading the slots
   * @throws FilterNotFoundException if there is no filter of that name
   * @throws io.github.slotbloom.error.FilterMismatchException if its keys are of another type
   * @throws io.github.slotbloom.error.UnsupportedVersionException if a later version created it
   * @throws io.github.slotbloom.error.MirrorTooLargeException if memory cannot hold the bits; in
   *     that case open the filter {@link FilterOptions#withoutMirror}
   */
  public <K> BloomFilter<K> open(String name, KeyType<K> keyType, FilterOptions options) {
    FilterRecord filter = require(new FilterName(name), options);
    SpecCheck.requireKeyType(filter, keyType);
    return open(filter, keyType, options);
  }

  /**
   * Opens a filter of any size with {@link FilterOptions#defaults()}.
   *
   * @param <K> the type of the keys
   * @param name the name of an existing filter
   * @param keyType the key type that the filter was created with
   * @return the filter
   * @throws FilterNotFoundException if there is no filter of that name
   * @throws io.github.slotbloom.error.FilterMismatchException if its keys are of another type
   */
  public <K> BloomFilter<K> open(String name, KeyType<K> keyType) {
    return open(name, keyType, FilterOptions.defaults());
  }

  /**
   * Opens a filter that must have been made with exactly these parameters.
   *
   * @param <K> the type of the keys
   * @param name the name of an existing filter
   * @param spec the parameters that the filter must have
   * @param options settings of this process
   * @return the filter
   * @throws FilterNotFoundException if there is no filter of that name
   * @throws io.github.slotbloom.error.FilterMismatchException if the filter has other parameters;
   *     the message shows both sides
   */
  public <K> BloomFilter<K> open(String name, FilterSpec<K> spec, FilterOptions options) {
    FilterRecord filter = require(new FilterName(name), options);
    SpecCheck.requireMatch(filter, spec);
    return open(filter, spec.keyType(), options);
  }

  /**
   * Does the same for a filter from which keys can be removed.
   *
   * @param <K> the type of the keys
   * @param name as for other filters
   * @param spec as for other filters
   * @param options as for other filters
   * @return the filter
   * @throws io.github.slotbloom.error.SlotBloomException as for other filters
   */
  public <K> RemovableFilter<K> open(
      String name, FilterSpec.Removable<K> spec, FilterOptions options) {
    return removable(open(name, (FilterSpec<K>) spec, options));
  }

  /**
   * Opens a filter that must have been made with exactly these parameters, with {@link
   * FilterOptions#defaults()}.
   *
   * @param <K> the type of the keys
   * @param name the name of an existing filter
   * @param spec the parameters that the filter must have
   * @return the filter
   * @throws FilterNotFoundException if there is no filter of that name
   * @throws io.github.slotbloom.error.FilterMismatchException if the filter has other parameters
   */
  public <K> BloomFilter<K> open(String name, FilterSpec<K> spec) {
    return open(name, spec, FilterOptions.defaults());
  }

  /**
   * Does the same for a filter from which keys can be removed.
   *
   * @param <K> the type of the keys
   * @param name as for other filters
   * @param spec as for other filters
   * @return the filter
   * @throws io.github.slotbloom.error.SlotBloomException as for other filters
   */
  public <K> RemovableFilter<K> open(String name, FilterSpec.Removable<K> spec) {
    return open(name, spec, FilterOptions.defaults());
  }

  /**
   * Opens a filter as {@link #open(String, FilterSpec, FilterOptions)} does, and creates it first
   * if it does not exist. Processes that do this at the same time get the same filter.
   *
   * @param <K> the type of the keys
   * @param name 1 to 200 characters without control characters
   * @param spec the parameters of a new filter, which an existing filter must have too
   * @param options settings of this process
   * @return the filter
   * @throws io.github.slotbloom.error.FilterMismatchException if an existing filter has other
   *     parameters
   * @throws io.github.slotbloom.error.MirrorTooLargeException if a mirror is requested and the heap
   *     could never hold the bits; nothing is created
   */
  public <K> BloomFilter<K> openOrReserve(String name, FilterSpec<K> spec, FilterOptions options) {
    FilterName filter = new FilterName(name);
    directory.waiting(
        filter,
        options.timeout(),
        listener,
        () -> {
          requireOpen();
          boolean missing = directory.find(filter).isEmpty();
          if (missing) {
            directory.requireMayMake(filter);
            requireRoom(filter, spec, options);
            new Reserving(directory, engines).reserveIfMissing(filter, spec, Waiting.STEP_TIMEOUT);
          }
          return missing;
        });
    return open(name, spec, options);
  }

  /**
   * Does the same for a filter from which keys can be removed.
   *
   * @param <K> the type of the keys
   * @param name as for other filters
   * @param spec as for other filters
   * @param options as for other filters
   * @return the filter
   * @throws io.github.slotbloom.error.SlotBloomException as for other filters
   */
  public <K> RemovableFilter<K> openOrReserve(
      String name, FilterSpec.Removable<K> spec, FilterOptions options) {
    return removable(openOrReserve(name, (FilterSpec<K>) spec, options));
  }

  /**
   * Opens a filter, and creates it first if it does not exist, with {@link
   * FilterOptions#defaults()}.
   *
   * @param <K> the type of the keys
   * @param name 1 to 200 characters without control characters
   * @param spec the parameters of a new filter, which an existing filter must have too
   * @return the filter
   * @throws io.github.slotbloom.error.FilterMismatchException if an existing filter has other
   *     parameters
   */
  public <K> BloomFilter<K> openOrReserve(String name, FilterSpec<K> spec) {
    return openOrReserve(name, spec, FilterOptions.defaults());
  }

  /**
   * Does the same for a filter from which keys can be removed.
   *
   * @param <K> the type of the keys
   * @param name as for other filters
   * @param spec as for other filters
   * @return the filter
   * @throws io.github.slotbloom.error.SlotBloomException as for other filters
   */
  public <K> RemovableFilter<K> openOrReserve(String name, FilterSpec.Removable<K> spec) {
    return openOrReserve(name, spec, FilterOptions.defaults());
  }

  /** Returns a filter whose specification says that keys can be removed. */
  private static <K> RemovableFilter<K> removable(BloomFilter<K> filter) {
    return (RemovableFilter<K>) filter;
  }

  /** Refuses to create a filter that could not be opened afterwards. */
  private static void requireRoom(FilterName filter, FilterSpec<?> spec, FilterOptions options) {
    if (options.mirrored()) {
      MirrorRoom.require(filter, List.of(spec.parameters()));
    }
  }

  private FilterRecord require(FilterName filter, FilterOptions options) {
    return directory.waiting(
        filter,
        options.timeout(),
        listener,
        () -> {
          requireOpen();
          return directory.require(filter);
        });
  }

  private <K> BloomFilter<K> open(FilterRecord filter, KeyType<K> keyType, FilterOptions options) {
    requireOpen();
    EngineBloomFilter<K> opened =
        EngineRemovableFilter.openAny(
            filter, keyType, options, new Environment(engines, directory, callbacks, this::forget));
    if (told.putIfAbsent(opened.shared(), opened) == null) {
      listener.on(new SlotBloomEvent.Opened(opened));
    }
    open.add(opened);
    if (closed.get()) {
      // A close that ran meanwhile may have missed this filter.
      opened.close();
    }
    requireOpen();
    return opened;
  }

  private void forget(EngineBloomFilter<?> filter, boolean last) {
    open.remove(filter);
    BloomFilter<?> first = last ? told.remove(filter.shared()) : null;
    if (first != null) {
      listener.on(new SlotBloomEvent.Closed(first));
    }
  }

  /**
   * Creates a filter from an export of this or another database, with its parameters, its keys and
   * their number. Needs the CREATE privilege, as {@link #reserve} does, and DROP to remove an
   * import that cannot be finished. Nobody can use the filter until the whole export was read and
   * found valid. If it is not valid, nothing is left of the filter.
   *
   * <p>A delta ({@link FilterAdmin#exportTo(ExportBase, OutputStream)}) brings an existing filter
   * up to date: one that was imported from the export that the delta continues, with the deltas
   * between, and that was not changed otherwise. Importing it again changes nothing, and is refused
   * once the journal of the filter no longer shows that it has the delta. If the call is
   * interrupted, the filter is as the exported one was at some moment between; repeat the call.
   *
   * @param name the name of the new filter, or of the one to bring up to date; it need not be the
   *     name of the exported one
   * @param stream an export; it is read to its end, and the caller closes it
   * @throws io.github.slotbloom.error.FilterExistsException if there is a filter of that name
   * @throws io.github.slotbloom.error.FilterNotFoundException if there is none, and this is a delta
   * @throws io.github.slotbloom.error.FilterMismatchException if the filter is not the one that the
   *     delta continues, or was changed since
   * @throws io.github.slotbloom.error.InvalidExportException if the stream is no export, is
   *     damaged, or was written by a later version
   * @throws io.github.slotbloom.error.SlotBloomException if this is a delta, and the temporary file
   *     to which it is first copied cannot be written
   * @throws java.io.IOException if the stream cannot be read
   */
  public void importFrom(String name, InputStream stream) throws IOException {
    requireOpen();
    new Snapshots(directory, engines).importFrom(new FilterName(name), stream);
  }

  /**
   * Creates a filter from an exported one, or brings one up to date, as {@link #importFrom(String,
   * InputStream)} does.
   *
   * @param name the name of the filter
   * @param file an export
   * @throws io.github.slotbloom.error.FilterExistsException if there is a filter of that name
   * @throws io.github.slotbloom.error.InvalidExportException if the file is no export, is damaged,
   *     or was written by a later version
   * @throws java.io.IOException if the file cannot be read
   */
  public void importFrom(String name, Path file) throws IOException {
    requireOpen();
    new Snapshots(directory, engines).importFrom(new FilterName(name), file);
  }

  /**
   * Returns what manages one filter: grow, replace, verify, export, merge, clear, drop and more.
   * Does not access the database.
   *
   * @param name the name of a filter
   * @return its administration, which may be kept
   * @throws io.github.slotbloom.error.InvalidParameterException if the name is not valid
   */
  public FilterAdmin admin(String name) {
    return new FilterAdmin(new FilterName(name), directory, engines, growing, this::requireOpen);
  }

  /** {@return the names of all filters, in alphabetical order} */
  public List<String> names() {
    requireOpen();
    return directory.names();
  }

  /**
   * {@return the parameters and counts of all filters, in the order of their names; also of those
   * that expired and can still be {@linkplain FilterAdmin#expireAt restored}} Takes a query or two
   * for each. A filter that cannot be read is logged and left out; {@link #names} has it.
   */
  public List<FilterStatus> list() {
    requireOpen();
    return directory.all().stream().map(filter -> StatusReader.read(directory, filter)).toList();
  }

  /**
   * Reads the parameters and counts of a filter without counting its bits, which takes a query or
   * two for a filter of any size.
   *
   * @param name the name of a filter
   * @return the parameters and counts; empty if there is no filter of that name
   * @throws io.github.slotbloom.error.InvalidParameterException if the name is not valid
   */
  public Optional<FilterStatus> status(String name) {
    requireOpen();
    return directory.find(new FilterName(name)).map(filter -> StatusReader.read(directory, filter));
  }

  /**
   * Reads the parameters and figures of a filter. Counts the bits in all slots, so it takes longer
   * for larger filters; {@link #status} does not.
   *
   * @param name the name of an existing filter
   * @return the parameters and figures
   * @throws FilterNotFoundException if there is no filter of that name
   */
  public FilterInfo info(String name) {
    requireOpen();
    return InfoReader.read(directory, directory.require(new FilterName(name)));
  }

  /**
   * {@return the present time by the database clock} Filters expire by that clock, so count from
   * it: {@code bloom.databaseTime().plus(Duration.ofDays(7))}.
   */
  public Instant databaseTime() {
    requireOpen();
    return directory.databaseTime();
  }

  private Schema schema() {
    try {
      return new Schema(
          dataSource,
          directory.time(),
          timeout -> listener.on(new SlotBloomEvent.MigrationWaits(timeout)));
    } catch (NoClassDefFoundError e) {
      throw new SchemaException(
          "Migration needs Flyway, which is missing from the class path ("
              + e.getMessage()
              + "). Add flyway-core and flyway-mysql, or have an operator run the SQL of"
              + " SlotBloom.schemaSql().",
          e);
    }
  }

  private void requireOpen() {
    if (closed.get()) {
      throw new FilterClosedException("This SlotBloom was closed. Create another one.");
    }
  }

  /** Closes every filter that was opened here. Closing this object again does nothing. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      open.forEach(BloomFilter::close);
      expired.close();
      engines.close();
      callbacks.close();
    }
  }

  /** Builds a {@link SlotBloom}. Not thread-safe. */
  public static final class Builder {
    private final DataSource dataSource;
    private final List<SlotBloomListener> listeners = new ArrayList<>();
    private @Nullable Executor callbackExecutor;
    private @Nullable DataSource secondaries;
    private TimeSource time = TimeSource.SYSTEM;
    private Supplier<ExecutorService> threads = FilterEngines::threads;
    private Supplier<ScheduledExecutorService> timer = FilterEngines::timer;

    private Builder(DataSource dataSource) {
      this.dataSource = dataSource;
    }

    /**
     * Adds a listener that is notified of events. There may be any number of them; there is none by
     * default.
     *
     * @param listener is called on many threads, so it must be thread-safe and quick
     * @return this
     */
    public Builder listener(SlotBloomListener listener) {
      listeners.add(Objects.requireNonNull(listener, "listener"));
      return this;
    }

    /**
     * Sets the executor that completes the futures of {@link BloomFilter#addAsync}. The default is
     * four threads of the library, so actions that block for long should run elsewhere.
     *
     * <p>Every future is completed, whatever this executor does. The default threads complete a
     * future if the executor refuses it, runs it in the submitting thread, or does not run it
     * within {@link FilterOptions#timeout} after it was submitted. They also complete the futures
     * that are left when this {@link SlotBloom} is closed.
     *
     * <p>The {@code execute} method must not block, because the thread that writes to the filter
     * calls it.
     *
     * @param executor an executor of the application, which shuts it down
     * @return this
     */
    public Builder callbackExecutor(Executor executor) {
      this.callbackExecutor = Objects.requireNonNull(executor, "executor");
      return this;
    }

    /**
     * Has secondaries of a replication group of MySQL answer lookups, strict ones as well. A lookup
     * that memory cannot answer goes to one of them. It waits there for all that the group has
     * committed, so the answers are the same as those of the primary; docs/scale-out.md tells what
     * that costs. Everything else goes to the primary: adds, loading mirrors, rescue lists, and
     * lookups within a transaction of the application. So do all lookups after no secondary could
     * answer one, until a secondary answers again; that is tried every five seconds.
     *
     * <p>A secondary can answer if it is ONLINE, sees the majority of its group, and has {@code
     * innodb_flush_log_at_trx_commit = 1} and {@code sync_binlog = 1}. Put {@code
     * sessionVariables=group_replication_consistency='BEFORE'} into the URL, or each lookup needs
     * six more statements. Give the pool short limits: a {@code socketTimeout} of seconds, since a
     * secondary that is frozen answers never, and a time to wait for a connection ({@code
     * connectionTimeout} of HikariCP), since the first lookup to a secondary that is down waits for
     * it. The account needs {@code SELECT} on {@code performance_schema.replication_group_members}.
     *
     * @param secondaries a pool that leads to members of the group of the primary, which may be the
     *     primary itself; the application closes it
     * @return this
     */
    public Builder secondaries(DataSource secondaries) {
      this.secondaries = Objects.requireNonNull(secondaries, "secondaries");
      return this;
    }

    /** Lets a test decide what time it is, and when the background works. */
    Builder drivenBy(TimeSource clock, ExecutorService background, ScheduledExecutorService ticks) {
      time = clock;
      threads = () -> background;
      timer = () -> ticks;
      return this;
    }

    /**
     * Connects to the database. If no secondary can be reached, a warning is logged.
     *
     * @return a connected instance; the base tables need not exist yet
     * @throws io.github.slotbloom.error.FilterUnavailableException if the database cannot be
     *     reached, or no thread can be started
     * @throws io.github.slotbloom.error.UnsupportedVersionException if the server is too old, or
     *     the secondaries can never answer: they belong to no group, or to another one, or the
     *     account may not see the state of the group
     */
    public SlotBloom build() {
      return new SlotBloom(this);
    }
  }
}
