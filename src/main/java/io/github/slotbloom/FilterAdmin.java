package io.github.slotbloom;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Similarity;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.admin.Clearing;
import io.github.slotbloom.internal.admin.Comparing;
import io.github.slotbloom.internal.admin.Directory;
import io.github.slotbloom.internal.admin.Growing;
import io.github.slotbloom.internal.admin.Merging;
import io.github.slotbloom.internal.admin.Replacing;
import io.github.slotbloom.internal.admin.Snapshots;
import io.github.slotbloom.internal.admin.SpecCheck;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.engine.KeyHashing;
import io.github.slotbloom.internal.fold.Folder;
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
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Looks after filters that exist: grows, replaces, verifies, inspects, exports, merges, clears and
 * drops them. They need not be open, and others may use them all the while.
 *
 * <p>Thread-safe. Where a method reaches the database it may throw {@link
 * io.github.slotbloom.error.FilterUnavailableException}, and {@link
 * io.github.slotbloom.error.SchemaException} if the tables are missing. After {@link
 * SlotBloom#close} every method that changes or reads a filter throws {@link
 * io.github.slotbloom.error.FilterClosedException}.
 */
public final class FilterAdmin {

  private final Directory directory;
  private final FilterEngines engines;
  private final Growing growing;
  private final Runnable requireOpen;

  FilterAdmin(Directory directory, FilterEngines engines, Growing growing, Runnable requireOpen) {
    this.directory = directory;
    this.engines = engines;
    this.growing = growing;
    this.requireOpen = requireOpen;
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
    requireOpen.run();
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
    requireOpen.run();
    replacing().replace(new FilterName(name), capacity, source.hashes(), options);
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
    requireOpen.run();
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
    requireOpen.run();
    return new Verifying(directory, engines)
        .verify(new FilterName(name), options, options.hashes());
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
    requireOpen.run();
    FilterRecord filter = directory.require(new FilterName(name));
    SpecCheck.requireKeyType(filter, keyType);
    long hash = new KeyHashing<>(filter, keyType).hash(key);
    return inspector(filter).explain(hash);
  }

  private Inspector inspector(String name) {
    requireOpen.run();
    return inspector(directory.require(new FilterName(name)));
  }

  private Inspector inspector(FilterRecord filter) {
    return new Inspector(engines.context(filter), Directory.STEP_TIMEOUT);
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
    requireOpen.run();
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
    requireOpen.run();
    snapshots().exportTo(new FilterName(name), file, options);
  }

  /**
   * Makes a filter out of one that was exported, here or elsewhere: with its parameters, its keys
   * and their number. Needs CREATE, as {@link SlotBloom#reserve} does, and DROP to take back what
   * cannot be finished. Nobody can use the filter before all of it was read and found to be right;
   * if it is not, nothing is left of it.
   *
   * @param name of the filter to make; it need not be that of the exported one
   * @param stream an export; read to its end, and stays the caller's to close
   * @throws io.github.slotbloom.error.FilterExistsException if there is a filter of that name
   * @throws io.github.slotbloom.error.InvalidExportException if the stream is no export, is
   *     damaged, or was written by a later version
   * @throws java.io.IOException if the stream cannot be read
   */
  public void importFrom(String name, InputStream stream) throws IOException {
    requireOpen.run();
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
    requireOpen.run();
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
    requireOpen.run();
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
    requireOpen.run();
    Merging.merge(directory, engines, new FilterName(from), new FilterName(into));
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
    requireOpen.run();
    return Comparing.compare(directory, engines, new FilterName(first), new FilterName(second));
  }

  private Snapshots snapshots() {
    return new Snapshots(directory, engines);
  }

  /**
   * As {@link BloomFilter#fold()}, without opening the filter.
   *
   * @param name of a filter that was reserved
   * @throws FilterNotFoundException if there is none of that name
   */
  public void fold(String name) {
    requireOpen.run();
    new Folder(engines.context(directory.require(new FilterName(name))))
        .foldAll(Directory.STEP_TIMEOUT);
  }

  /**
   * As {@link BloomFilter#clear()}, without opening the filter. Also finishes what another process
   * began.
   *
   * @param name of a filter that was reserved
   * @throws FilterNotFoundException if there is none of that name
   */
  public void clear(String name) {
    requireOpen.run();
    clearing(directory.require(new FilterName(name))).clear();
  }

  /**
   * Removes a filter and its slot tables, or what is left of an import. Needs DROP. Processes that
   * have it open are told by an exception. If it fails midway, calling it again finishes it.
   *
   * @param name of a filter that was reserved
   * @throws FilterNotFoundException if there is none of that name
   */
  public void drop(String name) {
    requireOpen.run();
    clearing(directory.requireToDrop(new FilterName(name))).drop();
  }

  private Clearing clearing(FilterRecord filter) {
    return new Clearing(engines.context(filter), Directory.STEP_TIMEOUT);
  }
}
