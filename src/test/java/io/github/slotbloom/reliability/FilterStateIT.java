package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterAdmin;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.ShortLease;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What other tests rely on to find contradictions finds them in states that are wrong on purpose.
 */
@DatabaseContract(onOne = true)
class FilterStateIT {

  /** Of its 1 000 bits the last slot has 40. */
  private static final FilterSpec<Long> SPEC =
      FilterSpec.builder(KeyType.longs())
          .capacity(100)
          .layout(Layout.STANDARD)
          .explicitSize(1000, 3)
          .build();

  private static final AtomicInteger number = new AtomicInteger();

  private static DataSource tables;
  private static DataSource pool;
  private static Sql sql;
  private static SlotBloom bloom;

  @BeforeDatabase
  static void migrate(TestSchema schema) {
    tables = schema.dataSource();
    sql = new Sql(tables);
    pool = schema.pool(settings -> settings.setMaximumPoolSize(2));
    bloom = SlotBloom.on(pool);
    bloom.migrate();
  }

  @AfterDatabase
  static void close() {
    bloom.close();
  }

  private final String name = "state_" + number.incrementAndGet();

  /** Three entries with a key each, of which the last is not folded. Nobody has it open. */
  @BeforeEach
  void makeFilter() throws SQLException {
    // Closing the filter alone would leave a fold that is due soon.
    try (SlotBloom maker = SlotBloom.on(pool)) {
      BloomFilter<Long> filter = maker.reserve(name, SPEC);
      filter.add(1L);
      filter.add(2L);
      bloom.admin(filter.name()).fold();
    }
    long hash = FilterState.read(tables, name).hash(3);
    run(
        ByHand.INSERT_ENTRY
            + " SELECT filter_id, last_seq + 1, 4711, token, 'ADD', UNHEX('"
            + String.format("%016x", hash)
            + "'), UTC_TIMESTAMP(3) FROM bloom_journal WHERE filter_id = {id} AND seq = 0");
    run(
        "UPDATE bloom_journal SET last_seq = last_seq + 1, token = 4711,"
            + " keys_added = keys_added + 1 WHERE filter_id = {id} AND seq = 0");
  }

  private void run(String statement) throws SQLException {
    runOn(name, statement);
  }

  private void runOn(String filter, String statement) throws SQLException {
    String id = sql.text("SELECT id FROM bloom_filter WHERE name = ?", filter);
    String slots = sql.slots(filter, 1);
    String removed = sql.removed(filter);
    String known = statement.replace("{id}", id).replace("{slots}", slots);
    assertThat(sql.run(known.replace("{removed}", removed))).as(statement).isPositive();
  }

  @Test
  void aCorrectFilterHasNoViolations() throws SQLException {
    FilterState state = FilterState.read(tables, name);
    assertThat(state.violations()).isEmpty();
    assertThat(state.lastSeq()).isEqualTo(3);
    assertThat(state.foldedSeq()).isEqualTo(2);
    assertThat(state.hashes()).containsExactly(state.hash(1), state.hash(2), state.hash(3));
    assertThat(LongStream.rangeClosed(1, 3)).allMatch(key -> state.contains(state.hash(key)));
    assertThat(state.contains(state.hash(4))).isFalse();
    assertThat(state.timesJournaled(3)).isEqualTo(1);
    assertThat(state.timesJournaled(4)).isZero();
    assertThatThrownBy(state::verifyFolded).hasMessageContaining("up to 2 only, of 3");
    bloom.admin(name).fold();
    FilterState.read(tables, name).verifyFolded();
  }

  @Test
  void aKeyIsContainedOnlyWithAllItsBits() throws SQLException {
    run("DELETE FROM {slots} LIMIT 1");
    FilterState state = FilterState.read(tables, name);
    assertThat(state.contains(state.hash(1)) && state.contains(state.hash(2))).isFalse();
    assertThat(state.contains(state.hash(3))).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          DELETE FROM bloom_journal WHERE filter_id = {id} AND seq = 2                   | entry 3 follows entry 1
          DELETE FROM bloom_journal WHERE filter_id = {id} AND seq = 1                   | the journal begins with entry 2
          DELETE FROM bloom_journal WHERE filter_id = {id} AND seq = 3                   | the journal ends at entry 2, not at 3
          DELETE FROM bloom_journal WHERE filter_id = {id} AND seq = 3                   | holds 2 keys, and 3 are counted
          DELETE FROM bloom_journal WHERE filter_id = {id} AND seq > 0                   | the journal is empty
          DELETE FROM bloom_journal WHERE filter_id = {id} AND seq > 0                   | entry 3 is neither folded nor in the journal
          UPDATE bloom_journal SET token = 5 WHERE filter_id = {id} AND seq = 1          | entry 2 continues another entry than 1
          UPDATE bloom_journal SET previous_token = 5 WHERE filter_id = {id} AND seq = 3 | entry 3 continues another entry than 2
          UPDATE bloom_journal SET token = 5 WHERE filter_id = {id} AND seq = 0          | entry 3 has not the token
          UPDATE bloom_journal SET last_seq = 4 WHERE filter_id = {id} AND seq = 0       | the journal ends at entry 3, not at 4
          UPDATE bloom_journal SET keys_added = 4 WHERE filter_id = {id} AND seq = 0     | holds 3 keys, and 4 are counted
          UPDATE bloom_journal SET keys_added = 2 WHERE filter_id = {id} AND seq = 0     | holds 3 keys, and 2 are counted
          UPDATE bloom_filter SET epoch = 2 WHERE id = {id}                              | the journal has 0 clears, and 1 are counted
          UPDATE bloom_fold SET folded_seq = 4 WHERE filter_id = {id}                    | entry 4 is folded, beyond the last, 3
          UPDATE bloom_fold SET folded_seq = 3 WHERE filter_id = {id}                    | lacks the bits
          UPDATE bloom_fold SET folded_seq = 1 WHERE filter_id = {id}                    | of no folded key
          DELETE FROM {slots} LIMIT 1                                                    | lacks the bits
          UPDATE {slots} SET bits = bits & (bits - 1) LIMIT 1                            | lacks the bits
          UPDATE {slots} SET bits = ~bits LIMIT 1                                        | of no folded key
          INSERT INTO {slots} VALUES (16, 1)                                             | slot 16 lies beyond the last of 1000 bits
          REPLACE INTO {slots} VALUES (15, 1099511627776)                                | slot 15 lies beyond the last of 1000 bits
          UPDATE bloom_journal SET kind = 'GROW' WHERE filter_id = {id} AND seq = 2      | entry 2 of kind GROW has 8 bytes
          UPDATE bloom_journal SET kind = 'MANIFEST' WHERE filter_id = {id} AND seq = 2  | entry 2 of kind MANIFEST has 8 bytes
          UPDATE bloom_journal SET payload = 'abc' WHERE filter_id = {id} AND seq = 2    | entry 2 of kind ADD has 3 bytes
          UPDATE bloom_journal SET payload = CONCAT(payload, payload) WHERE filter_id = {id} AND seq = 1 | is in the journal twice
          """)
  void violationsAreFound(String statement, String violation) throws SQLException {
    run(statement);
    FilterState state = FilterState.read(tables, name);
    assertThat(state.violations()).anySatisfy(found -> assertThat(found).contains(violation));
    assertThatThrownBy(state::verify).isInstanceOf(AssertionError.class).hasMessageContaining(name);
    assertThatThrownBy(state::verifyFolded).hasMessageContaining(violation);
  }

  /** Keys 1 and 2 are added and folded, 1 is removed and folded, 2 is removed and not folded. */
  private String filterWithRemovals() throws SQLException {
    String removable = "removable_" + name;
    FilterSpec<Long> spec = FilterSpec.builder(KeyType.longs()).capacity(100).buildRemovable();
    try (SlotBloom maker = SlotBloom.on(pool)) {
      BloomFilter<Long> filter = maker.reserve(removable, spec);
      filter.addEach(List.of(1L, 2L));
      Removing.from(filter).remove(1L);
      bloom.admin(filter.name()).fold();
    }
    long hash = FilterState.read(tables, removable).hash(2);
    runOn(
        removable,
        ByHand.INSERT_ENTRY
            + " SELECT filter_id, last_seq + 1, 4711, token, 'REMOVE', UNHEX('"
            + String.format("%016x", hash)
            + "'), UTC_TIMESTAMP(3) FROM bloom_journal WHERE filter_id = {id} AND seq = 0");
    runOn(
        removable,
        "UPDATE bloom_journal SET last_seq = last_seq + 1, token = 4711,"
            + " keys_removed = keys_removed + 1 WHERE filter_id = {id} AND seq = 0");
    return removable;
  }

  @Test
  void removedKeysAreNotContained() throws SQLException {
    String removable = filterWithRemovals();
    FilterState state = FilterState.read(tables, removable);
    assertThat(state.violations()).isEmpty();
    assertThat(state.contains(state.hash(1)) || state.contains(state.hash(2))).isFalse();
    assertThat(state.entries(1)).isEqualTo(new KeyEntries(1, 1, KeyState.REMOVED));
    bloom.admin(removable).fold();
    FilterState.read(tables, removable).verifyFolded();
    try (BloomFilter<Long> filter = bloom.open(removable, KeyType.longs())) {
      filter.add(1L);
      bloom.admin(filter.name()).fold();
    }
    FilterState later = FilterState.read(tables, removable);
    later.verifyFolded();
    assertThat(later.contains(later.hash(1))).isTrue();
    assertThat(later.contains(later.hash(2))).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          DELETE FROM {removed}                                                          | but its row says null
          UPDATE {removed} SET seq = seq + 5                                             | but its row says
          INSERT INTO {removed} VALUES (1, 2)                                            | no folded entry removed it last
          UPDATE bloom_journal SET keys_removed = 1 WHERE filter_id = {id} AND seq = 0   | holds 2 removed keys, and 1 are counted
          UPDATE bloom_journal SET kind = 'RETURN' WHERE filter_id = {id} AND seq = 2    | is in the journal twice
          UPDATE bloom_journal SET payload = CONCAT(payload, payload) WHERE filter_id = {id} AND seq = 2 | is removed twice
          """)
  void violationsOfRemovalsAreFound(String statement, String violation) throws SQLException {
    String removable = filterWithRemovals();
    runOn(removable, statement);
    assertThat(FilterState.read(tables, removable).violations())
        .anySatisfy(found -> assertThat(found).contains(violation));
  }

  @Test
  void aTrimmedJournalMayLackFoldedEntriesOnly() throws SQLException {
    run("DELETE FROM bloom_journal WHERE filter_id = {id} AND seq = 1");
    assertThat(FilterState.readTrimmed(tables, name).violations()).isEmpty();
    run("UPDATE bloom_fold SET folded_seq = 0 WHERE filter_id = {id}");
    assertThat(FilterState.readTrimmed(tables, name).violations())
        .containsExactly("entry 1 is neither folded nor in the journal");
  }

  @Test
  void theJournalAfterAClearGoesOn() throws SQLException {
    bloom.admin(name).clear();
    FilterState empty = FilterState.read(tables, name);
    empty.verifyFolded();
    assertThat(empty.lastSeq()).isEqualTo(4);
    assertThat(empty.keysAdded()).isZero();
    assertThat(empty.hashes()).isEmpty();
    assertThat(LongStream.rangeClosed(1, 3)).noneMatch(key -> empty.contains(empty.hash(key)));
    try (BloomFilter<Long> filter = bloom.open(name, KeyType.longs())) {
      filter.add(1L);
      bloom.admin(filter.name()).fold();
    }
    FilterState.read(tables, name).verifyFolded();
    run("DELETE FROM bloom_journal WHERE filter_id = {id} AND seq = 5");
    assertThat(FilterState.read(tables, name).violations())
        .contains("the journal holds 0 keys, and 1 are counted");
  }

  /** Grows with entry 2, is cleared with 4, grows with 6, and is replaced from 8 to 10. */
  private String filterOfManyManifests() throws SQLException {
    String changed = "changed_" + name;
    FilterSpec<Long> spec = FilterSpec.builder(KeyType.longs()).capacity(100).build();
    try (SlotBloom maker = SlotBloom.on(pool)) {
      maker.reserve(changed, spec).close();
      ShortLease.of(changed, sql);
      BloomFilter<Long> filter = maker.open(changed, KeyType.longs());
      FilterAdmin admin = maker.admin(changed);
      filter.add(1L);
      admin.grow(200);
      filter.add(2L);
      admin.clear();
      filter.add(3L);
      admin.grow(300);
      filter.add(4L);
      KeySource source = KeySource.of("keys", KeyType.longs(), () -> Stream.of(3L, 4L));
      admin.replace(400, source, ReplaceOptions.defaults());
      filter.add(5L);
      admin.fold();
    }
    return changed;
  }

  @Test
  void eachKeyIsSoughtWhereItsManifestPutIt() throws SQLException {
    FilterState state = FilterState.read(tables, filterOfManyManifests());
    state.verifyFolded();
    assertThat(state.lastSeq()).isEqualTo(11);
    assertThat(LongStream.rangeClosed(1, 2)).noneMatch(key -> state.contains(state.hash(key)));
    assertThat(LongStream.rangeClosed(3, 5)).allMatch(key -> state.contains(state.hash(key)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          UPDATE bloom_filter SET manifest = REPLACE(manifest, '"next":6', '"next":7') WHERE id = {id}     | but the journal has
          UPDATE bloom_filter SET manifest = REPLACE(manifest, '"begins":4', '"begins":0') WHERE id = {id} | but the journal has
          UPDATE bloom_filter SET manifest_token = 5 WHERE id = {id}                                       | but the filter says 5
          UPDATE bloom_filter SET manifest = REPLACE(manifest, 'ACTIVE', 'FILLING') WHERE id = {id}        | this cannot be a manifest
          UPDATE bloom_filter SET window_buckets = 3 WHERE id = {id}                                       | a window of 0 buckets, but the filter says 3
          UPDATE bloom_filter SET epoch = 1 WHERE id = {id}                                                | has 1 clears, and 0 are counted
          UPDATE bloom_journal SET payload = REPLACE(payload, '"seq":6', '"seq":7') WHERE filter_id = {id} AND seq = 6       | entry 6 has the manifest of another
          UPDATE bloom_journal SET payload = REPLACE(payload, '"since":6', '"since":5') WHERE filter_id = {id} AND seq = 6   | no operation makes
          UPDATE bloom_journal SET payload = REPLACE(payload, '"begins":4', '"begins":0') WHERE filter_id = {id} AND seq = 6 | no operation makes
          UPDATE bloom_journal SET payload = REPLACE(payload, '"next":5', '"next":6') WHERE filter_id = {id} AND seq = 6     | no operation makes
          UPDATE bloom_journal SET payload = REPLACE(payload, '"since":8', '"since":9') WHERE filter_id = {id} AND seq = 8   | this cannot be a manifest
          UPDATE bloom_journal SET payload = REPLACE(payload, 'FILLING', 'ACTIVE') WHERE filter_id = {id} AND seq = 8        | no operation makes
          UPDATE bloom_journal SET payload = REPLACE(payload, '"cutover":10', '"cutover":9') WHERE filter_id = {id} AND seq = 10 | no operation makes
          UPDATE bloom_journal j JOIN bloom_filter f ON f.id = filter_id SET manifest = REPLACE(manifest, '"cutover":10', '"cutover":8'), payload = REPLACE(payload, '"cutover":10', '"cutover":8') WHERE id = {id} AND seq = 10 | entry 9 went to the generations [5], and is sought in []
          UPDATE bloom_journal SET kind = 'ADD', payload = 'abcdefgh' WHERE filter_id = {id} AND seq = 4   | no operation makes
          UPDATE bloom_journal SET payload = 'abc' WHERE filter_id = {id} AND seq = 6                      | entry 6 of kind MANIFEST has 3 bytes
          UPDATE bloom_fold SET folded_seq = 3 WHERE filter_id = {id}                                      | entry 3 is folded last, and was cleared
          UPDATE bloom_table SET token = 7 WHERE filter_id = {id} AND generation = 5                       | bloom_table lacks
          UPDATE bloom_table SET made = FALSE WHERE filter_id = {id} AND generation = 5                    | bloom_table lacks
          DELETE FROM bloom_table WHERE filter_id = {id} AND generation = 5                                | bloom_table lacks
          INSERT INTO bloom_table (filter_id, generation, token) VALUES ({id}, 6, 7)                       | but the next generation is 6
          INSERT INTO bloom_table (filter_id, generation) VALUES ({id}, 7)                                 | but the next generation is 6
          """)
  void violationsOfManifestsAreFound(String statement, String violation) throws SQLException {
    String changed = filterOfManyManifests();
    runOn(changed, statement);
    assertThat(FilterState.read(tables, changed).violations())
        .anySatisfy(found -> assertThat(found).contains(violation));
  }

  @Test
  void aBlockedFilterOfManyKeysIsReadAsAWhole() throws SQLException {
    String many = "many_" + name;
    int keys = 100_000;
    FilterSpec<Long> spec = FilterSpec.builder(KeyType.longs()).capacity(keys).build();
    try (BloomFilter<Long> filter = bloom.reserve(many, spec)) {
      filter.addEach(LongStream.range(0, keys).boxed().toList());
      bloom.admin(filter.name()).fold();
    }
    FilterState state = FilterState.read(tables, many);
    state.verifyFolded();
    assertThat(LongStream.range(0, keys)).allMatch(key -> state.contains(state.hash(key)));
  }
}
