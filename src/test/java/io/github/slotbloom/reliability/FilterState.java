package io.github.slotbloom.reliability;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import javax.sql.DataSource;

/**
 * Everything that the tables say of one filter at one moment, and whether it can be true. Read with
 * plain SQL, in one snapshot, so that nobody needs to hold still; of the library only its
 * arithmetic is trusted. Immutable.
 */
public final class FilterState {

  /** A filter that is wrong everywhere need not be printed as a whole. */
  private static final int MOST_NAMED = 10;

  private final StoredFilter filter;
  private final List<JournalRow> journal;
  private final ManifestHistory manifests;
  private final StoredTables tables;
  private final List<StoredGeneration> generations;
  private final StoredRemovals removals;
  private final JournaledKeys keys;
  private final Set<Long> left;
  private final boolean trimmed;

  private FilterState(
      StoredFilter filter,
      List<JournalRow> journal,
      ManifestHistory manifests,
      StoredTables tables,
      List<StoredGeneration> generations,
      StoredRemovals removals,
      Set<Long> left,
      boolean trimmed) {
    this.filter = filter;
    this.journal = journal;
    this.manifests = manifests;
    this.tables = tables;
    this.generations = generations;
    this.removals = removals;
    this.keys = new JournaledKeys(sinceClear(), left, filter.retainsHashes());
    this.left = left;
    this.trimmed = trimmed;
  }

  /** Reads a filter whose journal was never trimmed: that is, one younger than its retention. */
  public static FilterState read(DataSource dataSource, String filterName) throws SQLException {
    return read(dataSource, filterName, false);
  }

  /** Reads a filter whose journal may lack its oldest entries. Fewer rules can be looked at. */
  public static FilterState readTrimmed(DataSource dataSource, String filterName)
      throws SQLException {
    return read(dataSource, filterName, true);
  }

  private static FilterState read(DataSource dataSource, String filterName, boolean trimmed)
      throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        statement.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT");
        try {
          StoredFilter filter = StoredFilter.read(connection, filterName);
          List<JournalRow> journal = journal(connection, filter);
          ManifestHistory manifests = new ManifestHistory(filter.manifest(), journal);
          return new FilterState(
              filter,
              journal,
              manifests,
              StoredTables.read(connection, filter.id()),
              generations(connection, filter, manifests, journal),
              StoredRemovals.read(connection, filter, journal, filter.manifest().removedAfter()),
              StoredHashes.read(connection, filter),
              trimmed);
        } finally {
          statement.execute("ROLLBACK");
        }
      }
    }
  }

  private static List<JournalRow> journal(Connection connection, StoredFilter filter)
      throws SQLException {
    return Sql.read(
        connection,
        "SELECT seq, token, previous_token, kind, payload FROM bloom_journal"
            + " WHERE filter_id = ? AND seq > 0 ORDER BY seq",
        row ->
            new JournalRow(
                row.getLong(1), row.getLong(2), row.getLong(3), row.getString(4), row.getBytes(5)),
        filter.id());
  }

  private static List<StoredGeneration> generations(
      Connection connection,
      StoredFilter filter,
      ManifestHistory manifests,
      List<JournalRow> journal)
      throws SQLException {
    List<StoredGeneration> generations = new ArrayList<>();
    for (GenerationRow row : filter.manifest().generations()) {
      generations.add(
          new StoredGeneration(
              row.answers(),
              manifests.neverFilled(),
              new BloomParameters(filter.layout(), row.bits(), row.hashes()),
              slots(connection, filter.slotTable(row)),
              journal.stream().filter(entry -> manifests.takers(entry).contains(row)).toList(),
              filter.foldedSeq()));
    }
    return generations;
  }

  private static Map<Long, Long> slots(Connection connection, String slotTable)
      throws SQLException {
    Map<Long, Long> slots = new HashMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT slot, CAST(bits AS SIGNED) FROM `" + slotTable + "`")) {
      while (row.next()) {
        slots.put(row.getLong(1), row.getLong(2));
      }
    }
    return slots;
  }

  /** The hash of a key in this filter. */
  public long hash(long key) {
    return KeyType.longs().hash(key, filter.hash());
  }

  /** The entries of which the keys count. */
  private List<JournalRow> sinceClear() {
    return journal.stream().filter(row -> row.seq() > filter.manifest().begins()).toList();
  }

  /**
   * The hashes of keys that are new since the last clear, in the order of the journal; of keys that
   * return, too.
   */
  public long[] hashes() {
    return sinceClear().stream()
        .filter(JournalRow::adds)
        .flatMapToLong(row -> LongStream.of(row.hashes()))
        .toArray();
  }

  /** How many entries the journal holds. */
  public int journaledEntries() {
    return journal.size();
  }

  /** How often the journal holds a key. */
  public long timesJournaled(long key) {
    long hash = hash(key);
    return LongStream.of(hashes()).filter(journaled -> journaled == hash).count();
  }

  /** How often a key should be counted, by the journal. */
  int timesCounted(long key) {
    return keys.timesCounted(hash(key));
  }

  /** What the journal says of the buckets of a window. */
  JournaledBuckets buckets() {
    return new JournaledBuckets(journal, filter.windowBuckets());
  }

  /** What the journal says of a key. */
  KeyEntries entries(long key) {
    return keys.of(hash(key));
  }

  /**
   * Whether a hash is in the slots and the entries that are not folded yet, taken together, and not
   * removed.
   */
  public boolean contains(long hash) {
    return !removals.contains(hash)
        && generations.stream()
            .anyMatch(generation -> generation.answers() && generation.contains(hash));
  }

  /** Tells the keys that the bits of others cover. Needs a while to become ready. */
  LongPredicate coveredByOthers() {
    List<SharedBits> bits =
        generations.stream()
            .filter(StoredGeneration::answers)
            .map(StoredGeneration::sharedBits)
            .toList();
    return key -> bits.stream().anyMatch(shared -> shared.coverWithout(hash(key)));
  }

  /** How often the filter was cleared. */
  public long clears() {
    return filter.epoch() - 1;
  }

  public long lastSeq() {
    return filter.lastSeq();
  }

  public long foldedSeq() {
    return filter.foldedSeq();
  }

  public long keysAdded() {
    return filter.keysAdded();
  }

  /**
   * What contradicts itself, a sentence each; empty if all is well. While a filter is being dropped
   * its rows go in any number of steps, so less can be said then.
   */
  public List<String> violations() {
    List<String> found = new ArrayList<>();
    chain(found);
    end(found);
    payloads(found);
    found.addAll(manifests.violations(journal, filter, trimmed));
    found.addAll(tables.violations(filter.manifest()));
    clears(found);
    folding(found);
    generations.forEach(generation -> found.addAll(generation.beyondTheLastBit()));
    if (filter.state().equals("ACTIVE")) {
      counts(found);
      slotsAgainstJournal(found);
      leftHashes(found);
      most(found, removals.wrongRows(trimmed), "removed hashes");
    }
    return found;
  }

  /**
   * Fails unless everything is folded, and the slots are the OR of everything that is in the
   * journal and nothing else. A journal that was trimmed cannot tell what is too much.
   */
  public void verifyFolded() {
    List<String> found = violations();
    if (filter.foldedSeq() != filter.lastSeq()) {
      found.add("entries are folded up to " + filter.foldedSeq() + " only, of " + filter.lastSeq());
    }
    fail(found);
  }

  /** Fails if anything contradicts itself. */
  public void verify() {
    fail(violations());
  }

  private void fail(List<String> found) {
    if (!found.isEmpty()) {
      throw new AssertionError(
          "Filter " + filter.name() + ":\n  " + String.join("\n  ", found) + "\n" + this);
    }
  }

  private void chain(List<String> found) {
    for (int i = 1; i < journal.size(); i++) {
      JournalRow before = journal.get(i - 1);
      JournalRow row = journal.get(i);
      if (row.seq() != before.seq() + 1) {
        found.add("entry " + row.seq() + " follows entry " + before.seq());
      } else if (row.previousToken() != before.token()) {
        found.add("entry " + row.seq() + " continues another entry than " + before.seq());
      }
    }
  }

  private void end(List<String> found) {
    if (journal.isEmpty()) {
      // The newest entry is never trimmed.
      if (filter.lastSeq() > 0) {
        found.add("the journal is empty, though it should end at entry " + filter.lastSeq());
      }
      return;
    }
    JournalRow last = journal.get(journal.size() - 1);
    if (last.seq() != filter.lastSeq()) {
      found.add("the journal ends at entry " + last.seq() + ", not at " + filter.lastSeq());
    } else if (last.token() != filter.lastToken()) {
      found.add("entry " + last.seq() + " has not the token that the journal should end with");
    }
    long first = journal.get(0).seq();
    if (first != 1 && !trimmed) {
      found.add("the journal begins with entry " + first);
    }
  }

  private void payloads(List<String> found) {
    for (JournalRow row : journal) {
      if (!row.isWellFormed()) {
        found.add(
            "entry "
                + row.seq()
                + " of kind "
                + row.kind()
                + " has "
                + row.payload().length
                + " bytes");
      }
    }
  }

  private void folding(List<String> found) {
    if (filter.foldedSeq() > filter.lastSeq()) {
      found.add("entry " + filter.foldedSeq() + " is folded, beyond the last, " + filter.lastSeq());
    }
    long firstUnfolded = filter.foldedSeq() + 1;
    if (firstUnfolded <= filter.lastSeq()
        && (journal.isEmpty() || journal.get(0).seq() > firstUnfolded)) {
      found.add("entry " + firstUnfolded + " is neither folded nor in the journal");
    }
  }

  private void clears(List<String> found) {
    long counted = clears();
    if (trimmed ? manifests.clears() > counted : manifests.clears() != counted) {
      found.add(
          "the journal has " + manifests.clears() + " clears, and " + counted + " are counted");
    }
    if (filter.foldedSeq() < filter.manifest().begins()) {
      found.add("entry " + filter.foldedSeq() + " is folded last, and was cleared");
    }
  }

  private void counts(List<String> found) {
    if (filter.isWindow()) {
      countsOfBuckets(found);
      return;
    }
    most(found, keys.violations(), "hashes");
    count(found, "keys", keys.counted(), filter.keysAdded());
    count(found, "removed keys", removals.journaled(), filter.keysRemoved());
  }

  /** Those that expired are not counted. */
  private void countsOfBuckets(List<String> found) {
    most(found, buckets().violations(), "hashes");
    long after = filter.manifest().removedAfter();
    count(found, "keys", JournaledBuckets.added(journal, after), filter.keysAdded());
    count(found, "renewed keys", JournaledBuckets.renewed(journal, after), filter.keysRenewed());
  }

  private void count(List<String> found, String what, long journaled, long counted) {
    if (trimmed ? journaled > counted : journaled != counted) {
      found.add(
          "the journal holds " + journaled + " " + what + ", and " + counted + " are counted");
    }
  }

  private void slotsAgainstJournal(List<String> found) {
    for (StoredGeneration generation : generations) {
      most(found, generation.wrongSlots(trimmed), "slots");
    }
  }

  /** They leave the journal once they are folded. */
  private void leftHashes(List<String> found) {
    List<String> lost =
        left.stream()
            .filter(hash -> keys.of(hash).isThere())
            .filter(
                hash ->
                    generations.stream().noneMatch(each -> each.answers() && each.contains(hash)))
            .map(hash -> "the hash " + Long.toHexString(hash) + " left the journal, and is lost")
            .toList();
    most(found, lost, "hashes");
  }

  private static void most(List<String> found, List<String> wrong, String what) {
    found.addAll(wrong.subList(0, Math.min(wrong.size(), MOST_NAMED)));
    if (wrong.size() > MOST_NAMED) {
      found.add("and " + (wrong.size() - MOST_NAMED) + " more " + what + " are wrong");
    }
  }

  @Override
  public String toString() {
    return filter.state()
        + ", epoch "
        + filter.epoch()
        + ", entry "
        + filter.lastSeq()
        + ", folded to "
        + filter.foldedSeq()
        + ", "
        + filter.keysAdded()
        + " keys counted, "
        + journal.size()
        + " entries, "
        + generations.stream().mapToInt(StoredGeneration::rows).sum()
        + " slots of "
        + generations.size()
        + " generations";
  }
}
