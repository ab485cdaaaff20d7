package io.github.slotbloom;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Similarity;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.admin.Comparing;
import io.github.slotbloom.internal.admin.Directory;
import io.github.slotbloom.internal.admin.Growing;
import io.github.slotbloom.internal.admin.Merging;
import io.github.slotbloom.internal.admin.Replacing;
import io.github.slotbloom.internal.admin.Reserving;
import io.github.slotbloom.internal.admin.Snapshots;
import io.github.slotbloom.internal.admin.SpecCheck;
import io.github.slotbloom.internal.background.Callbacks;
import io.github.slotbloom.internal.engine.EngineBloomFilter;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.engine.KeyHashing;
import io.github.slotbloom.internal.mirror.MirrorRoom;
import io.github.slotbloom.internal.mirror.TimeSource;
import io.github.slotbloom.internal.schema.Schema;
import io.github.slotbloom.internal.schema.SchemaSql;
import io.github.slotbloom.internal.sql.InspectionQueries;
import io.github.slotbloom.internal.sql.MembershipFunction;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.SlotTable;
import io.github.slotbloom.internal.verify.Inspector;
import io.github.slotbloom.internal.verify.Verifying;
import io.github.slotbloom.report.Inspection;
import io.github.slotbloom.report.InspectionQuery;
import io.github.slotbloom.report.KeyExplanation;
import io.github.slotbloom.report.SlotListing;
import io.github.slotbloom.report.VerifyReport;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.CopyOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
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

  /** How long one step of an administrative call (fold, clear, drop, reserve) may take. */
  private static final Duration STEP_TIMEOUT = Duration.ofSeconds(30);

  private final Directory directory;
  private final DataSource dataSource;
  private final Growing growing;
  private final FilterEngines engines;
  private final Callbacks callbacks;
  private final Set<BloomFilter<?>> open = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  private SlotBloom(Builder builder) {
    callbacks = new Callbacks(builder.callbackExecutor);
    directory = Directory.connect(builder.dataSource);
    dataSource = builder.dataSource;
    growing = new Growing(directory);
    engines =
        new FilterEngines(
            directory.database(),
            directory.serverSettings(),
            TimeSource.SYSTEM,
            builder.listener,
            growing);
    engines.onEachTick(callbacks::tick);
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
    new Reserving(directory).reserve(filter, spec, STEP_TIMEOUT);
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
      new Reserving(directory).reserveIfMissing(filter, spec, STEP_TIMEOUT);
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

  /**
   * Lets a filter hold more keys, while others use it: it gets another generation, with a slot
   * table of its own, to which all new keys go. What it holds stays where it is, and is asked for
   * in every generation; each has half the error rate of the one before, so that the filter as a
   * whole stays under its target.
   *
   * <p>Other processes need not be told. Repeating the call does no harm: a filter of that capacity
   * stays as it is. A {@link #clear} keeps the capacity, and leaves one generation.
   *
   * @param name the filter
   * @param capacity the keys that it shall hold in all, those that it holds now included
   * @throws FilterNotFoundException if there is none
   * @throws io.github.slotbloom.error.InvalidParameterException if it has a larger capacity
   *     already, holds as many keys, or was reserved as {@link FilterSpec.Builder#fixed fixed}
   * @throws SchemaException if its table cannot be made; see {@link #growSql}
   */
  public void grow(String name, long capacity) {
    requireOpen();
    growing.grow(new FilterName(name), capacity);
  }

  /**
   * The SQL that makes the slot table which a filter grows by next. Where an operator ran it,
   * {@link #grow} needs no right to make tables.
   *
   * @param name the filter
   * @return one statement
   * @throws FilterNotFoundException if there is none
   */
  public String growSql(String name) {
    FilterName filter = directory.require(new FilterName(name)).name();
    return SlotTable.sql(filter, directory.nextGeneration(filter));
  }

  /**
   * Replaces what a filter is made of by a single generation for more keys, while others use it:
   * afterwards its size and its error rate are as if it had been reserved so. Takes as long as
   * reading the source twice and folding its keys does; others go on to add and to ask all the
   * time. If it was cut off, by whatever, the same call goes on where it was; {@link
   * #abortReplacement} goes back.
   *
   * <p>No key is lost that is added while this runs, even if it only seems to be in the filter. Of
   * those that were added before, all that the source brings are kept, and no others. Before it is
   * opened this waits for transactions that {@link BloomFilter#within} took part in.
   *
   * <p>Until the end the old generations answer, and the filter has their capacity: beyond it new
   * keys are refused or raise the error rate, and it cannot grow. That stays so, until this is
   * called again or {@link #abortReplacement} is, if the source brings fewer distinct keys of the
   * filter than were counted, or lacks some that the journal still holds.
   *
   * @param name the filter
   * @param capacity the keys that it shall hold in all
   * @param source brings the keys that were added before this call
   * @param options how to go about it
   * @throws FilterNotFoundException if there is none
   * @throws io.github.slotbloom.error.InvalidParameterException if it holds as many keys, or is
   *     being replaced by one of another capacity
   * @throws io.github.slotbloom.error.ReplacementException if another process is at it, if it was
   *     given up meanwhile, or if the source lacks keys
   * @throws io.github.slotbloom.error.FilterMismatchException if the source has keys of another
   *     type
   * @throws SchemaException if its table cannot be made; see {@link #growSql}
   */
  public void replace(String name, long capacity, KeySource source, ReplaceOptions options) {
    requireOpen();
    replacing().replace(new FilterName(name), capacity, source, options);
  }

  /**
   * How far a replacement is.
   *
   * @param name the filter
   * @return empty if it is not being replaced
   * @throws FilterNotFoundException if there is none
   */
  public Optional<Replacement> replacement(String name) {
    return replacing().status(new FilterName(name));
  }

  /**
   * Gives a replacement up: the filter is as if it had never begun, with all keys that were added
   * since. Also drops tables that a replacement left behind when it was cut off at its end. Does
   * nothing if there is none.
   *
   * @param name the filter
   * @throws FilterNotFoundException if there is none
   */
  public void abortReplacement(String name) {
    requireOpen();
    replacing().abort(new FilterName(name));
  }

  private Replacing replacing() {
    return new Replacing(directory, engines);
  }

  /**
   * The SQL that makes the function {@code bloom_<name>_might_contain}, which asks the filter from
   * SQL alone: {@code SELECT url FROM staging WHERE NOT bloom_urls_might_contain(url)}. It answers
   * as {@link BloomFilter#mightContain}, as of the moment at which the statement that calls it
   * reads the tables. It is made for the generations of now: after a growth, a replacement or a
   * clear it raises an error, until it is made anew.
   *
   * @param name of a filter with the hash {@link io.github.slotbloom.core.HashAlgorithm#SHA256}
   * @return statements, to be run one by one on a single connection, in that order
   * @throws FilterNotFoundException if there is none
   * @throws io.github.slotbloom.error.InvalidParameterException if it has another hash
   */
  public List<String> functionSql(String name) {
    return new MembershipFunction(directory.database(), directory.require(new FilterName(name)))
        .statements();
  }

  /**
   * Queries that show a filter in any SQL client: fill, estimated keys, error rate now, skew,
   * backlog, lag, size on disk, growth history and more. They need SELECT alone, and lock no row.
   * They are made for the generations of now; the first one tells whether these are still the ones.
   *
   * @param name of a filter that was reserved
   * @return the queries, in the order in which one would look
   * @throws FilterNotFoundException if there is none
   * @throws SchemaException if the views are missing that some of them read
   */
  public List<InspectionQuery> inspectionSql(String name) {
    FilterRecord filter = directory.require(new FilterName(name));
    directory.requireMigrated();
    return new InspectionQueries(filter).all();
  }

  /**
   * Verifies a filter while others use it: that its slots hold what its journal says, that nothing
   * was lost, changed or put where no key can own it, that counts agree, and that it errs as often
   * as its bits say. Takes no lock that others wait for, unless it repairs.
   *
   * <p>A filter that is damaged makes no exception: the report has it. What cannot be checked is in
   * the report as well, above all that a bit which only keys need whose entries were trimmed shows
   * among given keys alone, unless the filter retains hashes.
   *
   * @param name the filter
   * @param options how to go about it
   * @return what was found
   * @throws FilterNotFoundException if there is none
   * @throws io.github.slotbloom.error.UnsupportedFormatException if a later version made it
   * @throws io.github.slotbloom.error.FilterMismatchException if the given keys are of another type
   * @throws io.github.slotbloom.error.InvalidParameterException if it is to be repaired while it is
   *     being replaced
   */
  public VerifyReport verify(String name, VerifyOptions options) {
    requireOpen();
    return new Verifying(directory, engines, STEP_TIMEOUT).verify(new FilterName(name), options);
  }

  /**
   * Looks into a filter: how full each part of each generation is. Counted in the server, in one
   * pass over the slot tables.
   *
   * @param name the filter
   * @param ranges how many parts each generation is divided into at most, 1 to {@value
   *     io.github.slotbloom.report.Inspection#MOST_RANGES}
   * @return its figures and heat maps
   * @throws FilterNotFoundException if there is none
   * @throws io.github.slotbloom.error.InvalidParameterException if the number of ranges is another
   */
  public Inspection inspect(String name, int ranges) {
    return inspector(name).inspect(ranges);
  }

  /**
   * Lists slots of a filter as they are in its table. What is not folded yet is not in them.
   *
   * @param name the filter
   * @param generation number of the generation; the newest one that answers if empty
   * @param first number of the first slot
   * @param last number of the last slot; {@value io.github.slotbloom.report.SlotListing#MOST_SLOTS}
   *     slots at most
   * @return the slots
   * @throws FilterNotFoundException if there is no such filter
   * @throws io.github.slotbloom.error.InvalidParameterException if there is no such generation, if
   *     it does not have these slots, or if they are too many
   */
  public SlotListing slots(String name, OptionalInt generation, long first, long last) {
    return inspector(name).slots(generation, first, last);
  }

  /**
   * Tells why a key is a member of a filter, or why not: where its bits lie, which of them are set,
   * and by what.
   *
   * @param <K> the type of the keys
   * @param name the filter
   * @param keyType the one that it was made with
   * @param key the key
   * @return its hash, positions, slots and bits
   * @throws FilterNotFoundException if there is none
   * @throws io.github.slotbloom.error.FilterMismatchException if its keys are of another type
   */
  public <K> KeyExplanation explain(String name, KeyType<K> keyType, K key) {
    requireOpen();
    FilterRecord filter = directory.require(new FilterName(name));
    SpecCheck.requireKeyType(filter, keyType);
    long hash = new KeyHashing<>(filter, keyType).hash(key);
    return engines.inspector(filter, STEP_TIMEOUT).explain(hash);
  }

  private Inspector inspector(String name) {
    requireOpen();
    return engines.inspector(directory.require(new FilterName(name)), STEP_TIMEOUT);
  }

  /**
   * Writes a filter to a stream, while others use it: everything that was added before this call,
   * and perhaps some keys that are added meanwhile. The format is told in docs/export-format.md.
   * Takes memory for a part of it at a time, however large it is. With the seed of its hash the
   * stream holds what may be a secret.
   *
   * @param name the filter
   * @param stream stays the caller's to close; what was written to it is worth nothing if this
   *     throws
   * @throws FilterNotFoundException if there is none
   * @throws java.io.IOException if the stream cannot be written
   * @throws io.github.slotbloom.error.FilterUnavailableException if it is cleared, replaced or
   *     dropped meanwhile
   */
  public void exportTo(String name, OutputStream stream) throws IOException {
    requireOpen();
    snapshots().exportTo(new FilterName(name), stream);
  }

  /**
   * Writes a filter to a file, as {@link #exportTo(String, OutputStream)} does. The file appears
   * when it is whole; where the file system knows owners, only its owner may read it.
   *
   * @param name the filter
   * @param file what to make
   * @param options {@link java.nio.file.StandardCopyOption#REPLACE_EXISTING} and {@link
   *     java.nio.file.StandardCopyOption#ATOMIC_MOVE}, or none
   * @throws FilterNotFoundException if there is none
   * @throws java.nio.file.FileAlreadyExistsException if the file exists, and is not to be replaced
   * @throws java.io.IOException if the file cannot be written
   * @throws io.github.slotbloom.error.FilterUnavailableException if it is cleared, replaced or
   *     dropped meanwhile
   */
  public void exportTo(String name, Path file, CopyOption... options) throws IOException {
    requireOpen();
    snapshots().exportTo(new FilterName(name), file, options);
  }

  /**
   * Makes a filter out of one that was exported, here or elsewhere: with its parameters, its keys
   * and their number. Needs CREATE, as {@link #reserve} does, and DROP to take back what cannot be
   * finished. Nobody can use the filter before all of it was read and found to be right; if it is
   * not, nothing is left of it.
   *
   * @param name of the filter to make; it need not be that of the exported one
   * @param stream an export; read to its end, and stays the caller's to close
   * @throws io.github.slotbloom.error.FilterExistsException if there is a filter of that name
   * @throws io.github.slotbloom.error.InvalidExportException if the stream is no export, is
   *     damaged, or was written by a later version
   * @throws java.io.IOException if the stream cannot be read
   */
  public void importFrom(String name, InputStream stream) throws IOException {
    requireOpen();
    snapshots().importFrom(new FilterName(name), stream);
  }

  /**
   * Makes a filter out of one that was exported, as {@link #importFrom(String, InputStream)} does.
   * The file is read twice: what is damaged is found before anything is made.
   *
   * @param name of the filter to make
   * @param file an export
   * @throws io.github.slotbloom.error.FilterExistsException if there is a filter of that name
   * @throws io.github.slotbloom.error.InvalidExportException if the file is no export, is damaged,
   *     or was written by a later version
   * @throws java.io.IOException if the file cannot be read
   */
  public void importFrom(String name, Path file) throws IOException {
    requireOpen();
    snapshots().importFrom(new FilterName(name), file);
  }

  /**
   * Makes a filter that holds what another one does, with its parameters: everything that was added
   * to that before this call, and perhaps some keys that are added meanwhile.
   *
   * @param from the filter to copy, which may be used meanwhile
   * @param to name of the filter to make
   * @throws FilterNotFoundException if there is none to copy
   * @throws io.github.slotbloom.error.FilterExistsException if there is a filter of that name
   * @throws io.github.slotbloom.error.FilterUnavailableException if it is cleared, replaced or
   *     dropped meanwhile; nothing is left of the copy
   */
  public void copy(String from, String to) {
    requireOpen();
    snapshots().copy(new FilterName(from), new FilterName(to));
  }

  /**
   * Brings all keys of a filter into another one, while both are used: when this returns, that one
   * holds every key that was added to the first one before the call, and all processes that use it
   * answer so. The first one stays as it is. Repeating it does no harm.
   *
   * <p>Both must be of the same key type, hash, seed and layout, and each generation of the first
   * one needs one of the same size in the other. How many keys came that were not there is
   * estimated from the bits, and counted. If this throws in the middle, some of the keys may be
   * there and all are counted; the same call brings the rest.
   *
   * @param from the filter whose keys are wanted
   * @param into the filter that gets them; earlier versions of this library refuse it from then on
   * @throws FilterNotFoundException if one of them is not there
   * @throws io.github.slotbloom.error.FilterMismatchException if they are not made alike, or only
   *     the one that gets the keys retains their hashes; the message shows both sides
   * @throws io.github.slotbloom.error.FilterFullException if there is no room for the keys in a
   *     filter that was reserved to refuse more; nothing was changed
   * @throws io.github.slotbloom.error.FilterUnavailableException if one of them is cleared,
   *     replaced or dropped meanwhile
   */
  public void merge(String from, String into) {
    requireOpen();
    Merging.merge(directory, engines, STEP_TIMEOUT, new FilterName(from), new FilterName(into));
  }

  /**
   * Estimates from the bits of two filters how many keys each has, and how many they have in
   * common. Reads both once; takes no memory for that.
   *
   * <p>Both must be of the same key type, hash, seed and layout, and each generation of the one
   * that has fewer needs one of the same size in the other. Keys in generations that are no such
   * pair are taken to be different: of filters that grew, what they have in common is then a lower
   * bound.
   *
   * @param first a filter
   * @param second another one
   * @return the estimates
   * @throws FilterNotFoundException if one of them is not there
   * @throws io.github.slotbloom.error.FilterMismatchException if they are not made alike; the
   *     message shows both sides
   * @throws io.github.slotbloom.error.FilterUnavailableException if one of them is cleared,
   *     replaced or dropped meanwhile
   */
  public Similarity compare(String first, String second) {
    requireOpen();
    return Comparing.compare(
        directory, engines, STEP_TIMEOUT, new FilterName(first), new FilterName(second));
  }

  private Snapshots snapshots() {
    return new Snapshots(directory, engines, STEP_TIMEOUT);
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

  /**
   * As {@link BloomFilter#fold()}, without opening the filter.
   *
   * @param name of a filter that was reserved
   * @throws FilterNotFoundException if there is none of that name
   */
  public void fold(String name) {
    requireOpen();
    engines.fold(directory.require(new FilterName(name)), STEP_TIMEOUT);
  }

  /**
   * As {@link BloomFilter#clear()}, without opening the filter. Also finishes what another process
   * began.
   *
   * @param name of a filter that was reserved
   * @throws FilterNotFoundException if there is none of that name
   */
  public void clear(String name) {
    requireOpen();
    engines.clear(directory.require(new FilterName(name)), STEP_TIMEOUT);
  }

  /**
   * Removes a filter and its slot tables, or what is left of an import. Needs DROP. Processes that
   * have it open are told by an exception. If it fails midway, calling it again finishes it.
   *
   * @param name of a filter that was reserved
   * @throws FilterNotFoundException if there is none of that name
   */
  public void drop(String name) {
    requireOpen();
    engines.drop(directory.requireToDrop(new FilterName(name)), STEP_TIMEOUT);
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
