package io.github.slotbloom;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.engine.FilterEngines;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.event.SlotBloomListener;
import io.github.slotbloom.mirror.TimeSource;
import io.github.slotbloom.schema.Schema;
import io.github.slotbloom.schema.SchemaSql;
import io.github.slotbloom.store.FilterRecord;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
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

  /** How long one step of an administrative call (fold, clear, drop, reserve) may take. */
  private static final Duration STEP_TIMEOUT = Duration.ofSeconds(30);

  private final Directory directory;
  private final DataSource dataSource;
  private final FilterEngines engines;
  private final @Nullable ExecutorService ownCallbacks;
  private final Executor callbacks;
  private final Set<BloomFilter<?>> open = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  private SlotBloom(Builder builder) {
    dataSource = builder.dataSource;
    ownCallbacks = builder.callbackExecutor == null ? CallbackPool.create() : null;
    callbacks = Objects.requireNonNullElse(builder.callbackExecutor, ownCallbacks);
    directory = Directory.connect(dataSource);
    engines =
        new FilterEngines(
            directory.database(), directory.serverSettings(), TimeSource.SYSTEM, builder.listener);
  }

  /** Connects with default settings. */
  public static SlotBloom on(DataSource dataSource) {
    return builder(dataSource).build();
  }

  public static Builder builder(DataSource dataSource) {
    return new Builder(Objects.requireNonNull(dataSource, "dataSource"));
  }

  /**
   * Makes or updates the base tables through Flyway. Needs CREATE; safe to call again, and from
   * several processes.
   */
  public void migrate() {
    new Schema(dataSource).migrateBase();
  }

  /** Whether the base tables are there. */
  public boolean isMigrated() {
    return directory.isMigrated();
  }

  /** The SQL that {@link #migrate} runs, for an operator or another migration tool. */
  public static String schemaSql() {
    return SchemaSql.base();
  }

  /**
   * The SQL that makes the slot table which {@link #reserve} makes next. With that table in place
   * it needs no CREATE.
   */
  public String reserveSql(String name) {
    FilterName filter = new FilterName(name);
    return SchemaSql.slotTable(filter, directory.nextGeneration(filter));
  }

  /**
   * Makes a filter, and opens it.
   *
   * @param name matches {@code [a-z][a-z0-9_]{0,39}}
   * @throws io.github.slotbloom.error.FilterExistsException if there is one of that name
   */
  public <K> BloomFilter<K> reserve(String name, FilterSpec<K> spec, FilterOptions options) {
    FilterName filter = new FilterName(name);
    requireOpen();
    new Reserving(directory, new Schema(dataSource)).reserve(filter, spec, STEP_TIMEOUT);
    return open(name, spec, options);
  }

  public <K> BloomFilter<K> reserve(String name, FilterSpec<K> spec) {
    return reserve(name, spec, FilterOptions.defaults());
  }

  /**
   * Opens a filter whatever its size. Only the key type must match.
   *
   * @throws FilterNotFoundException if there is none of that name
   * @throws io.github.slotbloom.error.FilterMismatchException if its keys are of another type
   */
  public <K> BloomFilter<K> open(String name, KeyType<K> keyType, FilterOptions options) {
    FilterRecord filter = directory.require(new FilterName(name));
    SpecCheck.requireKeyType(filter, keyType);
    return open(filter, keyType, options);
  }

  public <K> BloomFilter<K> open(String name, KeyType<K> keyType) {
    return open(name, keyType, FilterOptions.defaults());
  }

  /**
   * Opens a filter that must have been made with exactly these parameters.
   *
   * @throws FilterNotFoundException if there is none of that name
   * @throws io.github.slotbloom.error.FilterMismatchException if it was made with others
   */
  public <K> BloomFilter<K> open(String name, FilterSpec<K> spec, FilterOptions options) {
    FilterRecord filter = directory.require(new FilterName(name));
    SpecCheck.requireMatch(filter, spec);
    return open(filter, spec.keyType(), options);
  }

  public <K> BloomFilter<K> open(String name, FilterSpec<K> spec) {
    return open(name, spec, FilterOptions.defaults());
  }

  /**
   * Opens the filter as {@link #open(String, FilterSpec, FilterOptions)} does, or makes it first if
   * there is none.
   */
  public <K> BloomFilter<K> openOrReserve(String name, FilterSpec<K> spec, FilterOptions options) {
    FilterName filter = new FilterName(name);
    requireOpen();
    new Reserving(directory, new Schema(dataSource)).reserveIfMissing(filter, spec, STEP_TIMEOUT);
    return open(name, spec, options);
  }

  public <K> BloomFilter<K> openOrReserve(String name, FilterSpec<K> spec) {
    return openOrReserve(name, spec, FilterOptions.defaults());
  }

  private <K> BloomFilter<K> open(FilterRecord filter, KeyType<K> keyType, FilterOptions options) {
    requireOpen();
    BloomFilter<K> opened =
        new EngineBloomFilter<>(
            filter, keyType, options, engines, directory, callbacks, open::remove);
    open.add(opened);
    return opened;
  }

  /** The names of all filters, in alphabetical order. */
  public List<String> list() {
    return directory.names();
  }

  /** As {@link BloomFilter#info()}, without opening the filter. */
  public FilterInfo info(String name) {
    return directory.info(new FilterName(name));
  }

  /** As {@link BloomFilter#fold()}, without opening the filter. */
  public void fold(String name) {
    requireOpen();
    engines.fold(directory.require(new FilterName(name)), STEP_TIMEOUT);
  }

  /**
   * As {@link BloomFilter#clear()}, without opening the filter. Also finishes what another process
   * began.
   */
  public void clear(String name) {
    requireOpen();
    engines.clear(directory.require(new FilterName(name)), STEP_TIMEOUT);
  }

  /**
   * Removes a filter and its slot tables. Needs DROP. Processes that have it open are told by an
   * exception. If it fails midway, calling it again finishes it.
   */
  public void drop(String name) {
    requireOpen();
    engines.drop(directory.require(new FilterName(name)), STEP_TIMEOUT);
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
      if (ownCallbacks != null) {
        ownCallbacks.shutdown();
      }
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

    /** Hears what happens; {@link SlotBloomListener#NONE} by default. */
    public Builder listener(SlotBloomListener listener) {
      this.listener = Objects.requireNonNull(listener, "listener");
      return this;
    }

    /**
     * Where futures are completed: by default four threads of its own, so what blocks for long
     * should go on elsewhere.
     */
    public Builder callbackExecutor(Executor executor) {
      this.callbackExecutor = Objects.requireNonNull(executor, "executor");
      return this;
    }

    /**
     * Connects.
     *
     * @throws io.github.slotbloom.error.FilterUnavailableException if the database cannot be
     *     reached
     */
    public SlotBloom build() {
      return new SlotBloom(this);
    }
  }
}
