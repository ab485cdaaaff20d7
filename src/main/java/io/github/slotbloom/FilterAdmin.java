package io.github.slotbloom;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Similarity;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.admin.Clearing;
import io.github.slotbloom.internal.admin.Dropping;
import io.github.slotbloom.internal.admin.Expiring;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.admin.Growing;
import io.github.slotbloom.internal.admin.Renaming;
import io.github.slotbloom.internal.admin.Rescuing;
import io.github.slotbloom.internal.admin.SpecCheck;
import io.github.slotbloom.internal.admin.UnfoldedKeys;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.opened.KeyHashing;
import io.github.slotbloom.internal.replace.Replacing;
import io.github.slotbloom.internal.sql.MembershipFunction;
import io.github.slotbloom.internal.store.catalog.FilterTable;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.transfer.Comparing;
import io.github.slotbloom.internal.transfer.Merging;
import io.github.slotbloom.internal.transfer.Snapshots;
import io.github.slotbloom.internal.verify.Inspector;
import io.github.slotbloom.internal.verify.Verification;
import io.github.slotbloom.report.Inspection;
import io.github.slotbloom.report.KeyExplanation;
import io.github.slotbloom.report.Replacement;
import io.github.slotbloom.report.RescuedKey;
import io.github.slotbloom.report.VerifyReport;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.CopyOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleConsumer;

/**
 * Manages one filter: grows, replaces, verifies, inspects, exports, merges, renames, clears and
 * drops it. The filter need not be open here, and other processes may use it meanwhile. Made by
 * {@link SlotBloom#admin}, which does not check that the filter exists: every method here throws
 * {@link FilterNotFoundException} if there is none.
 *
 * <p>Thread-safe. Every method that accesses the database may throw {@link
 * io.github.slotbloom.error.FilterUnavailableException}, and {@link
 * io.github.slotbloom.error.SchemaException} if the tables are missing. After {@link
 * SlotBloom#close} every method throws {@link io.github.slotbloom.error.FilterClosedException}.
 */
public final class FilterAdmin {

  private final FilterName name;
  private final FilterDirectory directory;
  private final FilterEngines engines;
  private final Growing growing;
  private final Expiring expiring;
  private final Runnable requireOpen;

  FilterAdmin(
      FilterName name,
      FilterDirectory directory,
      FilterEngines engines,
      Growing growing,
      Runnable requireOpen) {
    this.name = name;
    this.directory = directory;
    this.engines = engines;
    this.growing = growing;
    this.expiring = new Expiring(directory, engines);
    this.requireOpen = requireOpen;
  }

  /**
   * Increases the capacity of a filter while others use it. The filter gets another generation with
   * its own slot table, and all new keys go to that generation. Existing keys stay where they are.
   * Lookups look into every generation. Each generation has half the false positive rate of the one
   * before, so the filter as a whole stays below its target.
   *
   * <p>Other processes notice automatically. Repeating the call does no harm: a filter that already
   * has that capacity stays as it is. {@link #clear} keeps the capacity and leaves one generation.
   *
   * @param capacity the total number of keys that the filter will hold, including the current ones
   * @throws io.github.slotbloom.error.InvalidParameterException if the filter already has a larger
   *     capacity, already holds that many keys, was created as {@link FilterSpec.Builder#fixed
   *     fixed} or with an explicit size, or is a window, whose buckets grow automatically
   * @throws SchemaException if the slot table cannot be created; see {@link #growSql}
   */
  public void grow(long capacity) {
    requireOpen.run();
    growing.grow(name, capacity);
  }

  /**
   * Lets a filter that grows automatically do so now, if it lacks room for so many new keys. Does
   * nothing to other filters. Of a window, the current bucket gets the room. Adds within a
   * transaction of the caller cannot wait for a filter to grow: call this before a transaction that
   * adds many, or when {@link TransactionalWrites#outgrown} tells that it was needed.
   *
   * @param newKeys how many keys are to be added, at least 0
   * @throws io.github.slotbloom.error.InvalidParameterException if the number is negative, or more
   *     than a filter can hold
   * @throws SchemaException if the slot table cannot be created; see {@link #growSql}
   * @throws io.github.slotbloom.error.ClockException if keys of the filter expire, and the database
   *     clock cannot be right
   */
  public void makeRoom(long newKeys) {
    requireOpen.run();
    growing.makeRoom(name, newKeys);
  }

  /**
   * Returns the SQL that creates the next slot table of a filter. If an operator runs it first,
   * {@link #grow} and {@link #clear} do not need the CREATE privilege.
   *
   * @return one statement
   */
  public String growSql() {
    requireOpen.run();
    FilterRecord filter = directory.require(name);
    return FilterTable.ofSlots(filter.tables().slots(filter.manifest().next())).sql();
  }

  /**
   * Replaces all generations of a filter by a single generation for more keys, while others use the
   * filter. Afterwards its size and its false positive rate are the same as if it had been created
   * with that capacity. The call takes as long as reading the source twice and folding its keys.
   * Others can add and look up keys all the time. If the call is interrupted for any reason, repeat
   * it to continue where it stopped, or call {@link #abortReplacement} to go back.
   *
   * <p>A key that is added during the replacement is never lost, even if it only seemed to be in
   * the filter. Of the keys that were added before, the filter keeps those that the source returns,
   * and no others. Before this method opens the source, it waits for the transactions that use
   * {@link BloomFilter#within}.
   *
   * <p>Until the end the old generations stay active, and their capacity applies. If the filter
   * grows meanwhile, the generation that it gets stays beside the new one. The replacement does not
   * finish if the source returns fewer distinct keys of the filter than were counted. The filter
   * then stays in this state until this method or {@link #abortReplacement} is called.
   *
   * @param capacity the total number of keys that the filter will hold
   * @param source returns the keys that were added before this call
   * @param options speed, progress and treatment of missing keys
   * @throws io.github.slotbloom.error.InvalidParameterException if the filter already holds that
   *     many keys, or is already being replaced with another capacity
   * @throws io.github.slotbloom.error.ReplacementException if another process is working on the
   *     replacement, if it was aborted meanwhile, or if the source lacks keys
   * @throws io.github.slotbloom.error.FilterMismatchException if the source has keys of another
   *     type
   * @throws SchemaException if the slot table cannot be created; see {@link #growSql}
   */
  public void replace(long capacity, KeySource source, ReplaceOptions options) {
    requireOpen.run();
    replacing().replace(name, capacity, source.hashes(), options);
  }

  /**
   * Returns the progress of a replacement.
   *
   * @return the progress; empty if the filter is not being replaced
   */
  public Optional<Replacement> replacement() {
    requireOpen.run();
    return replacing().status(name);
  }

  /**
   * Aborts a replacement. The filter is then as if the replacement had never begun, and it keeps
   * all keys that were added since. Also drops the tables that this and earlier operations left
   * behind.
   */
  public void abortReplacement() {
    requireOpen.run();
    replacing().abort(name);
  }

  private Replacing replacing() {
    return new Replacing(directory, engines);
  }

  /**
   * Returns the SQL that creates the function {@code bloom_<name>_might_contain}, which looks up a
   * key in SQL: {@code SELECT url FROM staging WHERE NOT bloom_urls_might_contain(url)}. It answers
   * like {@link BloomFilter#mightContain}, as of the moment at which the calling statement reads
   * the tables. The function works for the current generations only. After a growth, a replacement
   * or a clear it raises an error until it is created again.
   *
   * @return the statements, to be run in this order on a single connection
   * @throws io.github.slotbloom.error.InvalidParameterException if the hash of the filter is not
   *     {@link io.github.slotbloom.core.HashAlgorithm#SHA256}
   */
  public List<String> functionSql() {
    requireOpen.run();
    return new MembershipFunction(directory.database(), directory.require(name)).statements();
  }

  /**
   * Verifies a filter while others use it. Checks that the slots hold what the journal says, that
   * nothing was lost, changed or put where no key can set it, that the counts agree, and that the
   * false positive rate is what the set bits explain. Takes no lock that others wait for, unless it
   * repairs.
   *
   * <p>Damage does not cause an exception but is listed in the report. The report also lists
   * everything that could not be checked. Most importantly: once the journal entries of a key were
   * trimmed, a lost bit that only such keys need is noticed only if these keys are among the given
   * keys, or if the filter retains hashes.
   *
   * @param options keys to check, repair and progress
   * @return what was checked and found
   * @throws io.github.slotbloom.error.UnsupportedVersionException if a later version created it
   * @throws io.github.slotbloom.error.FilterMismatchException if the given keys are of another type
   * @throws io.github.slotbloom.error.InvalidParameterException if a repair is requested while the
   *     filter is being replaced
   */
  public VerifyReport verify(VerifyOptions options) {
    requireOpen.run();
    return Verification.verify(directory, engines, name, options, options.hashes());
  }

  /**
   * Verifies the filter with {@link VerifyOptions#defaults()}.
   *
   * @return what was checked and found
   * @throws io.github.slotbloom.error.UnsupportedVersionException if a later version created it
   */
  public VerifyReport verify() {
    return verify(VerifyOptions.defaults());
  }

  /**
   * Counts the set bits in each part of each generation of a filter. The server counts them, in one
   * pass over the slot tables.
   *
   * @param ranges the largest number of parts that each generation is divided into, from 1 to
   *     {@value io.github.slotbloom.report.Inspection#MOST_RANGES}
   * @return its figures and heat maps
   * @throws io.github.slotbloom.error.InvalidParameterException if the number of ranges is outside
   *     this range
   */
  public Inspection inspect(int ranges) {
    return inspector().inspect(ranges);
  }

  /**
   * Explains why a key is or is not a member of a filter: where its bits lie, which of them are
   * set, and by which slot or journal entry.
   *
   * @param <K> the type of the keys
   * @param keyType the one that it was created with
   * @param key the key
   * @return its hash, positions, slots and bits
   * @throws io.github.slotbloom.error.FilterMismatchException if its keys are of another type
   */
  public <K> KeyExplanation explain(KeyType<K> keyType, K key) {
    requireOpen.run();
    FilterRecord filter = directory.require(name);
    SpecCheck.requireKeyType(filter, keyType);
    long hash = new KeyHashing<>(filter, keyType).hash(key);
    return inspector(filter).explain(hash);
  }

  private Inspector inspector() {
    requireOpen.run();
    return inspector(directory.require(name));
  }

  private Inspector inspector(FilterRecord filter) {
    return new Inspector(filter, engines.transactions(filter), directory.time());
  }

  /**
   * Writes a filter to a stream while others use it: every key that was added before this call and
   * not removed, and perhaps some keys that are added or removed meanwhile. The format is described
   * in docs/export-format.md. The filter is read in parts, so little memory is needed even for a
   * large one. The stream contains the seed of the hash function, which may be a secret.
   *
   * @param stream the stream to write to; the caller closes it. If this method throws, the output
   *     is unusable
   * @throws java.io.IOException if the stream cannot be written
   * @throws io.github.slotbloom.error.FilterUnavailableException if the filter is cleared, replaced
   *     or dropped meanwhile
   */
  public void exportTo(OutputStream stream) throws IOException {
    requireOpen.run();
    snapshots().exportTo(name, null, stream);
  }

  /**
   * Writes a filter to a file, as {@link #exportTo(OutputStream)} does. The file appears when it is
   * complete. If the file system supports owners, only the owner may read the file.
   *
   * @param file the file to create
   * @param options {@link java.nio.file.StandardCopyOption#REPLACE_EXISTING} and {@link
   *     java.nio.file.StandardCopyOption#ATOMIC_MOVE}, or none
   * @throws java.nio.file.FileAlreadyExistsException if the file exists and the options do not
   *     allow replacing it
   * @throws java.io.IOException if the file cannot be written
   * @throws io.github.slotbloom.error.FilterUnavailableException if the filter is cleared, replaced
   *     or dropped meanwhile
   */
  public void exportTo(Path file, CopyOption... options) throws IOException {
    requireOpen.run();
    snapshots().exportTo(name, null, file, options);
  }

  /**
   * Writes a delta to a stream: all keys that were added and removed since an earlier export, in
   * their order, up to this call. {@link SlotBloom#importFrom} brings a filter that was imported
   * from that export up to date with it.
   *
   * @param base an earlier export of this filter, full or a delta
   * @param stream as for {@link #exportTo(OutputStream)}
   * @throws java.io.IOException if the stream cannot be written
   * @throws io.github.slotbloom.error.FilterMismatchException if a full export is needed: the base
   *     is of another filter or of a lost history, the journal no longer goes back that far, or the
   *     filter is a window, or grew, or was replaced, cleared, or merged into since
   */
  public void exportTo(ExportBase base, OutputStream stream) throws IOException {
    requireOpen.run();
    snapshots().exportTo(name, base.read, stream);
  }

  /**
   * Writes a delta to a file, as {@link #exportTo(ExportBase, OutputStream)} does, and the file as
   * {@link #exportTo(Path, CopyOption...)} does.
   *
   * @param base an earlier export of this filter, full or a delta
   * @param file the file to create
   * @param options as for a full export
   * @throws java.io.IOException if the file cannot be written, or exists
   * @throws io.github.slotbloom.error.FilterMismatchException if a full export is needed
   */
  public void exportTo(ExportBase base, Path file, CopyOption... options) throws IOException {
    requireOpen.run();
    snapshots().exportTo(name, base.read, file, options);
  }

  /**
   * Creates a copy of the filter, with its parameters and its keys: every key that was added before
   * this call and not removed, and perhaps some keys that are added or removed meanwhile.
   *
   * @param copy the name of the new filter
   * @throws io.github.slotbloom.error.FilterExistsException if there is a filter of that name
   * @throws io.github.slotbloom.error.FilterUnavailableException if it is cleared, replaced or
   *     dropped meanwhile; then nothing is left of the copy
   */
  public void copyTo(String copy) {
    requireOpen.run();
    snapshots().copy(name, new FilterName(copy));
  }

  /**
   * Adds all keys of this filter to another one, while both are in use. When this method returns,
   * the other filter holds every key that was added to this one before the call, and all processes
   * that use the other filter answer accordingly. This filter does not change. Repeating the call
   * does no harm.
   *
   * <p>A key that one of them removed is missing afterward only if the second one does not have it.
   * Keys that others add to the other filter or remove from it meanwhile stay as they leave them; a
   * later call restores those that this filter still has.
   *
   * <p>Both filters must have the same key type, hash, seed and layout, and for each generation of
   * this filter the other one needs a generation of the same size. The number of keys that are new
   * to the other filter is estimated from the bits and added to its count. If this method throws
   * midway, some of the keys may be there and all of them are counted; repeat the call to add the
   * rest.
   *
   * @param other the name of the filter that receives the keys
   * @throws FilterNotFoundException if one of the filters does not exist
   * @throws io.github.slotbloom.error.FilterMismatchException if the parameters differ, or only the
   *     filter that receives the keys retains hashes, or keys were removed from this filter and
   *     none can be removed from the other; the message shows both sides
   * @throws io.github.slotbloom.error.RemovedKeysFullException if the other filter would have more
   *     removed keys than it allows; nothing was changed
   * @throws io.github.slotbloom.error.FilterFullException if the other filter was created to refuse
   *     keys beyond its capacity and has no room; nothing was changed
   * @throws io.github.slotbloom.error.FilterUnavailableException if one of the filters is cleared,
   *     replaced or dropped meanwhile
   */
  public void mergeInto(String other) {
    requireOpen.run();
    Merging.merge(directory, engines, name, new FilterName(other));
  }

  /**
   * Estimates from the bits of this filter and another one how many keys each of them has and how
   * many they have in common. Removed keys, whose bits are still set, are taken out of the
   * estimates. Reads both once, in small parts.
   *
   * <p>Both filters must have the same key type, hash, seed and layout. Each generation of the
   * filter with fewer generations needs one of the same size in the other filter. Keys in
   * generations without such a partner count as different, so for filters that grew, the estimate
   * of the common keys is a lower bound.
   *
   * @param other the name of the other filter
   * @return the estimates
   * @throws FilterNotFoundException if one of the filters does not exist
   * @throws io.github.slotbloom.error.FilterMismatchException if the parameters differ; the message
   *     shows both sides
   * @throws io.github.slotbloom.error.FilterUnavailableException if one of the filters is cleared,
   *     replaced or dropped meanwhile
   */
  public Similarity similarityTo(String other) {
    requireOpen.run();
    return Comparing.compare(directory, engines, name, new FilterName(other));
  }

  private Snapshots snapshots() {
    return new Snapshots(directory, engines);
  }

  /**
   * Writes the entries of the journal to the slot table now, and not when it is due in the
   * background. Only readers of the slot table by SQL, and {@link SlotBloom#info}, see a
   * difference.
   *
   * @throws FilterNotFoundException if there is none of that name
   */
  public void fold() {
    fold(share -> {});
  }

  /**
   * Does the same as {@link #fold()}, and reports progress.
   *
   * @param progress receives the share that is folded, from 0 to 1, after each transaction, on the
   *     thread of the caller. An exception that it throws ends folding and is rethrown; nothing is
   *     lost, and any later folding continues
   * @throws FilterNotFoundException if there is none of that name
   */
  public void fold(DoubleConsumer progress) {
    requireOpen.run();
    engines.folder(directory.require(name)).foldAll(progress);
  }

  /**
   * Counts the keys that were added and whose bits are not in the slot tables yet. Processes with
   * the filter fold them in the background. The keys are durable, and every lookup finds them.
   * Reads the entries that are waiting to be folded.
   *
   * @return how many keys are waiting to be folded
   * @throws FilterNotFoundException if there is none of that name
   */
  public long unfoldedKeys() {
    requireOpen.run();
    FilterRecord filter = directory.require(name);
    return directory.ask(tx -> UnfoldedKeys.read(tx, filter)).stream()
        .mapToLong(UnfoldedKeys::ofAnswering)
        .sum();
  }

  /**
   * Gives a filter another name. One transaction does it, so at each moment the filter is found
   * under one of the two names, and it keeps all its keys. Its tables keep their names, and those
   * of later generations get similar names.
   *
   * <p>Processes that have the filter open must open it by its new name. From the commit on, an
   * add, a removal or a strict lookup by the old name throws a {@link FilterNotFoundException} that
   * tells the new one; nothing that was acknowledged is lost. Answers from memory end within a
   * lease (2 s), for which this method waits. The method first waits for transactions that use
   * {@link BloomFilter#within}. An export, a merge or a verification by the old name that is in
   * progress ends with that exception. A process that opens filters with {@link
   * SlotBloom#openOrReserve(String, FilterSpec)} and the old name would create a new, empty filter:
   * change its configuration to the new name first, or stop it.
   *
   * <p>The function of {@link #functionSql} keeps working. If this method fails, the filter has its
   * old name, unless the exception says otherwise or the database could not be reached; {@link
   * SlotBloom#list} shows the name.
   *
   * @param newName its new name, 1 to 200 characters without control characters
   * @throws FilterNotFoundException if there is no filter of that name, or somebody renamed it
   *     meanwhile
   * @throws io.github.slotbloom.error.FilterExistsException if there is a filter of the new name,
   *     or one that is being created, imported or dropped
   * @throws io.github.slotbloom.error.InvalidParameterException if the new name is not valid or is
   *     the old one, or if the filter is being replaced
   * @throws io.github.slotbloom.error.FilterUnavailableException if its lock was held the whole
   *     time
   */
  public void rename(String newName) {
    requireOpen.run();
    FilterName next = new FilterName(newName);
    FilterRecord filter = directory.require(name);
    new Renaming(directory, engines, filter).rename(next);
  }

  /**
   * Reads the keys of a block list that are rescued now.
   *
   * @return their hashes with the reason and who rescued them, oldest rescue first
   */
  public List<RescuedKey> rescuedKeys() {
    requireOpen.run();
    FilterRecord filter = directory.require(name);
    return new Rescuing(directory, filter).rescued();
  }

  /**
   * Removes every key, at one moment during the call. When this method returns, no process answers
   * from the old keys anymore. That takes at least two seconds. There is one exception: if a
   * machine was paused meanwhile and its wall clock was not corrected when it resumed, it may
   * answer from the old keys for the rest of those two seconds. Adds and lookups continue
   * meanwhile.
   *
   * @throws FilterNotFoundException if there is none of that name
   * @throws SchemaException if the slot table for new keys cannot be created; see {@link #growSql}
   */
  public void clear() {
    requireOpen.run();
    new Clearing(directory, engines, directory.require(name)).clear();
  }

  /**
   * Removes a filter and its slot tables, or the remains of an import. Needs the DROP privilege.
   * Processes that have the filter open get an exception. If this method fails midway, call it
   * again to finish.
   *
   * @throws FilterNotFoundException if there is none of that name
   */
  public void drop() {
    requireOpen.run();
    new Dropping(engines, directory.requireToDrop(name)).drop();
  }

  /**
   * Sets when a filter expires, by the database clock. From that moment on it no longer exists for
   * any client: adds, strict lookups and everything else fail with a {@link
   * FilterNotFoundException}, and its name can be used again. Answers from memory end two seconds
   * later at the latest. A time in the past lets the filter expire now.
   *
   * <p>Processes that notice an expired filter drop its tables an hour after the first of them
   * noticed; creating a filter by that name drops them at once. Until then this method, with a
   * later time, and {@link #neverExpire} restore the filter as it was. So a database clock that
   * jumps ahead destroys nothing for an hour.
   *
   * <p>A clear keeps the expiration time. Copies and imported filters never expire unless an
   * expiration time is set.
   *
   * @param at a moment from 1970 to 9999; fractions of a millisecond are dropped
   * @throws FilterNotFoundException if there is none of that name, or if it is being dropped
   * @throws io.github.slotbloom.error.InvalidParameterException if the moment is outside its range
   */
  public void expireAt(Instant at) {
    requireOpen.run();
    expiring.expireAt(name, FilterSpec.requireStorable(FilterSpec.CANNOT_EXPIRE, at));
  }

  /**
   * Removes the expiration time. Restores a filter that expired, as {@link #expireAt} with a later
   * time does.
   *
   * @throws FilterNotFoundException if there is none of that name, or if it is being dropped
   */
  public void neverExpire() {
    requireOpen.run();
    expiring.expireAt(name, null);
  }
}
