package io.github.slotbloom;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.admin.Directory;
import io.github.slotbloom.internal.admin.Growing;
import io.github.slotbloom.internal.admin.Reserving;
import io.github.slotbloom.internal.admin.SpecCheck;
import io.github.slotbloom.internal.background.Callbacks;
import io.github.slotbloom.internal.engine.EngineBloomFilter;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.mirror.MirrorRoom;
import io.github.slotbloom.internal.mirror.TimeSource;
import io.github.slotbloom.internal.schema.Schema;
import io.github.slotbloom.internal.schema.SchemaSql;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.SlotTable;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Bloom filters in one database schema. The application brings the {@link DataSource}, a pool of
 * one connection or more, and keeps it; closing this does not close it.
 *
 * <p>Thread-safe. One instance per data source is enough for a process; one open {@link
 * BloomFilter} per filter, too, since each holds a mirror of its own.
 *
 * <p>Where a method reaches the database it may throw {@link
 * io.github.slotbloom.error.FilterUnavailableException}, and {@link
 * io.github.slotbloom.error.SchemaException} if the tables are missing.
 */
public final class SlotBloom implements AutoCloseable {

  private final Directory directory;
  private final DataSource dataSource;
  private final FilterEngines engines;
  private final Callbacks callbacks;
  private final FilterAdmin admin;
  private final Set<BloomFilter<?>> open = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  private SlotBloom(Builder builder) {
    callbacks = new Callbacks(builder.callbackExecutor);
    directory = Directory.connect(builder.dataSource);
    dataSource = builder.dataSource;
    Growing growing = new Growing(directory);
    engines =
        new FilterEngines(
            directory.database(),
            directory.serverSettings(),
            TimeSource.SYSTEM,
            builder.listener,
            growing);
    engines.onEachTick(callbacks::tick);
    admin = new FilterAdmin(directory, engines, growing, this::requireOpen);
  }

  /**
   * Connects with default settings: no listener, callbacks on threads of its own.
   *
   * @param dataSource the pool of the application; stays the application's to close
   * @return connected, with or without the base tables
   * @throws io.github.slotbloom.error.FilterUnavailableException if the database cannot be reached
   * @throws io.github.slotbloom.error.UnsupportedServerException if the server is too old
   */
  public static SlotBloom on(DataSource dataSource) {
    return builder(dataSource).build();
  }

  /**
   * Begins with default settings; reaches the database in {@link Builder#build} only.
   *
   * @param dataSource the pool of the application; stays the application's to close
   * @return a builder
   */
  public static Builder builder(DataSource dataSource) {
    return new Builder(Objects.requireNonNull(dataSource, "dataSource"));
  }

  /**
   * Makes or updates the base tables and views. Needs CREATE, ALTER, CREATE VIEW and DROP, and
   * Flyway on the class path; safe to call again, and from several processes.
   *
   * @throws io.github.slotbloom.error.SchemaException if the tables could not be made
   */
  public void migrate() {
    schema().migrate();
  }

  /** {@return whether the base tables and views are there} */
  public boolean isMigrated() {
    return directory.isMigrated();
  }

  /** {@return the SQL that {@link #migrate} runs, for an operator or another migration tool} */
  public static String schemaSql() {
    return SchemaSql.base();
  }

  /**
   * The SQL that makes the slot table which {@link #reserve} makes next. With that table in place
   * it needs no CREATE.
   *
   * @param name of the filter, which need not exist
   * @return one statement
   * @throws io.github.slotbloom.error.InvalidParameterException if it is no name
   */
  public String reserveSql(String name) {
    FilterName filter = new FilterName(name);
    return SlotTable.sql(filter, directory.nextGeneration(filter));
  }

  /**
   * Makes a filter, and opens it. Needs CREATE, unless its slot table was made before by {@link
   * #reserveSql}.
   *
   * @param <K> the type of the keys
   * @param name matches {@code [a-z][a-z0-9_]{0,39}}
   * @param spec what it is made with; stored
   * @param options how this process uses it; not stored
   * @return the filter, empty
   * @throws io.github.slotbloom.error.FilterExistsException if there is one of that name
   * @throws io.github.slotbloom.error.InvalidParameterException if it is no name
   * @throws io.github.slotbloom.error.MirrorTooLargeException if the heap could never hold its
   *     bits, and a mirror is asked for; nothing is made
   */
  public <K> BloomFilter<K> reserve(String name, FilterSpec<K> spec, FilterOptions options) {
    FilterName filter = new FilterName(name);
    requireOpen();
    requireRoom(filter, spec, options);
    new Reserving(directory).reserve(filter, spec, Directory.STEP_TIMEOUT);
    return open(name, spec, options);
  }

  /**
   * Makes a filter, and opens it with {@link FilterOptions#defaults()}.
   *
   * @param <K> the type of the keys
   * @param name matches {@code [a-z][a-z0-9_]{0,39}}
   * @param spec what it is made with
   * @return the filter, empty
   * @throws io.github.slotbloom.error.FilterExistsException if there is one of that name
   */
  public <K> BloomFilter<K> reserve(String name, FilterSpec<K> spec) {
    return reserve(name, spec, FilterOptions.defaults());
  }

  /**
   * Opens a filter whatever its size. Only the key type must match.
   *
   * @param <K> the type of the keys
   * @param name of a filter that was reserved
   * @param keyType the one that it was made with
   * @param options how this process uses it
   * @return the filter, its mirror loaded: that takes as long as reading its slots does
   * @throws FilterNotFoundException if there is none of that name
   * @throws io.github.slotbloom.error.FilterMismatchException if its keys are of another type
   * @throws io.github.slotbloom.error.UnsupportedFormatException if a later version made it
   * @throws io.github.slotbloom.error.MirrorTooLargeException if memory cannot hold its bits; open
   *     it {@link FilterOptions#withoutMirror}
   */
  public <K> BloomFilter<K> open(String name, KeyType<K> keyType, FilterOptions options) {
    FilterRecord filter = directory.require(new FilterName(name));
    SpecCheck.requireKeyType(filter, keyType);
    return open(filter, keyType, options);
  }

  /**
   * Opens a filter whatever its size, with {@link FilterOptions#defaults()}.
   *
   * @param <K> the type of the keys
   * @param name of a filter that was reserved
   * @param keyType the one that it was made with
   * @return the filter
   * @throws FilterNotFoundException if there is none of that name
   * @throws io.github.slotbloom.error.FilterMismatchException if its keys are of another type
   */
  public <K> BloomFilter<K> open(String name, KeyType<K> keyType) {
    return open(name, keyType, FilterOptions.defaults());
  }

  /**
   * Opens a filter that must have been made with exactly these parameters.
   *
   * @param <K> the type of the keys
   * @param name of a filter that was reserved
   * @param spec what it must have been made with
   * @param options how this process uses it
   * @return the filter
   * @throws FilterNotFoundException if there is none of that name
   * @throws io.github.slotbloom.error.FilterMismatchException if it was made with others; the
   *     message shows both sides
   */
  public <K> BloomFilter<K> open(String name, FilterSpec<K> spec, FilterOptions options) {
    FilterRecord filter = directory.require(new FilterName(name));
    SpecCheck.requireMatch(filter, spec);
    return open(filter, spec.keyType(), options);
  }

  /**
   * Opens a filter that must have been made with exactly these parameters, with {@link
   * FilterOptions#defaults()}.
   *
   * @param <K> the type of the keys
   * @param name of a filter that was reserved
   * @param spec what it must have been made with
   * @return the filter
   * @throws FilterNotFoundException if there is none of that name
   * @throws io.github.slotbloom.error.FilterMismatchException if it was made with others
   */
  public <K> BloomFilter<K> open(String name, FilterSpec<K> spec) {
    return open(name, spec, FilterOptions.defaults());
  }

  /**
   * Opens the filter as {@link #open(String, FilterSpec, FilterOptions)} does, or makes it first if
   * there is none. Processes that do so at the same time get the same filter.
   *
   * @param <K> the type of the keys
   * @param name matches {@code [a-z][a-z0-9_]{0,39}}
   * @param spec what it is made with, or must have been made with
   * @param options how this process uses it
   * @return the filter
   * @throws io.github.slotbloom.error.FilterMismatchException if it was made with other parameters
   * @throws io.github.slotbloom.error.MirrorTooLargeException if the heap could never hold its
   *     bits, and a mirror is asked for; nothing is made
   */
  public <K> BloomFilter<K> openOrReserve(String name, FilterSpec<K> spec, FilterOptions options) {
    FilterName filter = new FilterName(name);
    requireOpen();
    if (directory.find(filter).isEmpty()) {
      requireRoom(filter, spec, options);
      new Reserving(directory).reserveIfMissing(filter, spec, Directory.STEP_TIMEOUT);
    }
    return open(name, spec, options);
  }

  /**
   * Opens a filter or makes it first, with {@link FilterOptions#defaults()}.
   *
   * @param <K> the type of the keys
   * @param name matches {@code [a-z][a-z0-9_]{0,39}}
   * @param spec what it is made with, or must have been made with
   * @return the filter
   * @throws io.github.slotbloom.error.FilterMismatchException if it was made with other parameters
   */
  public <K> BloomFilter<K> openOrReserve(String name, FilterSpec<K> spec) {
    return openOrReserve(name, spec, FilterOptions.defaults());
  }

  /** What could not be opened afterwards is not made. */
  private static void requireRoom(FilterName filter, FilterSpec<?> spec, FilterOptions options) {
    if (options.mirrored()) {
      MirrorRoom.require(filter, List.of(spec.parameters()));
    }
  }

  private <K> BloomFilter<K> open(FilterRecord filter, KeyType<K> keyType, FilterOptions options) {
    requireOpen();
    BloomFilter<K> opened =
        new EngineBloomFilter<>(
            filter, keyType, options, engines, directory, callbacks, open::remove);
    open.add(opened);
    if (closed.get()) {
      // Closed meanwhile, perhaps without this one.
      opened.close();
    }
    requireOpen();
    return opened;
  }

  /** {@return what operators do: grow, replace, verify, export, merge, clear, drop and more} */
  public FilterAdmin admin() {
    return admin;
  }

  /** {@return the names of all filters, in alphabetical order} */
  public List<String> list() {
    return directory.names();
  }

  /**
   * As {@link BloomFilter#info()}, without opening the filter.
   *
   * @param name of a filter that was reserved
   * @return its parameters and figures
   * @throws FilterNotFoundException if there is none of that name
   */
  public FilterInfo info(String name) {
    return directory.info(new FilterName(name));
  }

  private Schema schema() {
    try {
      return new Schema(dataSource);
    } catch (NoClassDefFoundError e) {
      throw new SchemaException(
          "Migrating needs Flyway, and the class path lacks it ("
              + e.getMessage()
              + "). Add flyway-core and flyway-mysql, or have an operator run the printed SQL.",
          e);
    }
  }

  private void requireOpen() {
    if (closed.get()) {
      throw new FilterClosedException("This SlotBloom was closed. Make another one to go on.");
    }
  }

  /** Closes every filter that was opened here. Closing again does nothing. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      open.forEach(BloomFilter::close);
      engines.close();
      callbacks.close();
    }
  }

  /** Collects the settings of a {@link SlotBloom}. */
  public static final class Builder {
    private final DataSource dataSource;
    private SlotBloomListener listener = SlotBloomListener.NONE;
    private @Nullable Executor callbackExecutor;

    private Builder(DataSource dataSource) {
      this.dataSource = dataSource;
    }

    /**
     * Hears what happens; {@link SlotBloomListener#NONE} by default.
     *
     * @param listener called from the library's threads, so it must be thread-safe and quick
     * @return this
     */
    public Builder listener(SlotBloomListener listener) {
      this.listener = Objects.requireNonNull(listener, "listener");
      return this;
    }

    /**
     * Where the futures of {@link BloomFilter#addAsync} are completed: by default four threads of
     * its own, so what blocks for long should go on elsewhere.
     *
     * <p>The answer is told whatever this executor does. What it refuses, what it runs in the
     * thread that hands it over, and what it has not run within {@link FilterOptions#timeout} of
     * that, is completed on the default threads instead; so is what it has not run when this {@link
     * SlotBloom} is closed.
     *
     * <p>Its {@code execute} must not block: the thread that writes to the filter calls it.
     *
     * @param executor stays the application's to shut down
     * @return this
     */
    public Builder callbackExecutor(Executor executor) {
      this.callbackExecutor = Objects.requireNonNull(executor, "executor");
      return this;
    }

    /**
     * Connects.
     *
     * @return connected, with or without the base tables
     * @throws io.github.slotbloom.error.FilterUnavailableException if the database cannot be
     *     reached, or no thread can be started
     * @throws io.github.slotbloom.error.UnsupportedServerException if the server is too old
     */
    public SlotBloom build() {
      return new SlotBloom(this);
    }
  }
}
