package io.github.slotbloom.internal.store.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.RecordedSql;
import io.github.slotbloom.testing.ShortLease;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Blocks hold what was merged into them, each hash once and in order, or are refused. */
@DatabaseContract
@Tag("mysql")
class HashBlocksIT {

  private static final long FULL = HashBlock.MAX_HASHES;

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom bloom;
  private static RecordedSql sent;
  private static Database database;
  @Fixture private static Sql sql;
  private static FilterRecord filter;
  private static FilterRecord other;

  @BeforeDatabase
  static void reserve() {
    sent = new RecordedSql(schema.pool(pool -> pool.setMaximumPoolSize(1)));
    database = Database.connect(sent.dataSource());
    filter = reserve("blocks");
    other = reserve("others");
  }

  private static FilterRecord reserve(String name) {
    bloom
        .reserve(name, FilterSpec.builder(KeyType.longs()).capacity(1000).retainHashes().build())
        .close();
    return find(name);
  }

  private static FilterRecord find(String name) {
    return database.transact(tx -> Catalog.find(tx, new FilterName(name))).orElseThrow();
  }

  @BeforeEach
  void empty() throws SQLException {
    sql.run("DELETE FROM bloom_hash_block");
  }

  private void merge(FilterRecord into, long... hashes) {
    long[] ascending = HashBlocks.ascending(hashes);
    int merged = 0;
    while (merged < ascending.length) {
      int from = merged;
      merged = database.transact(tx -> HashBlocks.merge(tx, into, ascending, from));
      assertThat(merged).isGreaterThan(from);
    }
  }

  private List<HashBlock> read(FilterRecord from) {
    List<HashBlock> read = new ArrayList<>();
    Long after = null;
    while (true) {
      Long last = after;
      List<HashBlock> page = database.transact(tx -> HashBlocks.page(tx, from, last));
      if (page.isEmpty()) {
        return read;
      }
      assertThat(page).hasSizeLessThanOrEqualTo(HashBlocks.PAGE);
      read.addAll(page);
      after = page.get(page.size() - 1).first();
    }
  }

  private long[] hashes(FilterRecord from) {
    return read(from).stream().flatMapToLong(block -> LongStream.of(block.hashes())).toArray();
  }

  private Set<Long> holding(long... hashes) {
    return database.transact(tx -> HashBlocks.holding(tx, filter, hashes));
  }

  @Test
  void aFewAndManyHashesAreFoundOrNot() {
    long seed = new Random().nextLong();
    long[] present = new Random(seed).longs(20_000).toArray();
    long[] absent = new Random(seed + 1).longs(20_000).toArray();
    assertThat(holding(present)).isEmpty();
    merge(filter, present);
    merge(other, absent);
    // Its bytes are in the block, over the end of one hash and the begin of the next.
    long[] ascending = HashBlocks.ascending(present);
    long between = ascending[100] << 32 | ascending[101] >>> 32;
    for (int i = 0; i < 50; i++) {
      assertThat(holding(present[i], absent[i], between))
          .as("seed %d", seed)
          .containsOnly(present[i]);
    }
    long[] all = LongStream.concat(LongStream.of(absent), LongStream.of(present)).toArray();
    assertThat(holding(all))
        .as("seed %d", seed)
        .hasSize(present.length)
        .doesNotContain(absent[0], absent[1]);
    database.transact(
        tx -> HashBlocks.remove(tx, filter, HashBlocks.ascending(new long[] {present[7]}), 0));
    assertThat(holding(present[7], present[8])).containsExactly(present[8]);
  }

  @Test
  void anyMergedHashesAreReadBack() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    merge(other, 1, 2, 3);
    TreeSet<Long> model = new TreeSet<>();
    List<Long> present = new ArrayList<>();
    for (int batch = 0; batch < 20; batch++) {
      int size = 1 + random.nextInt(random.nextInt(4) == 0 ? 60_000 : 3000);
      // Some batches lie close together, so that one block takes many and is cut into many.
      int shift = random.nextInt(4) == 0 ? 20 + random.nextInt(40) : 0;
      long[] hashes = new long[size];
      for (int i = 0; i < size; i++) {
        hashes[i] =
            switch (random.nextInt(12)) {
              case 0 -> present.isEmpty() ? 0 : present.get(random.nextInt(present.size()));
              case 1 -> i == 0 ? 0 : hashes[random.nextInt(i)];
              case 2 -> random.nextInt(2000) - 1000;
              case 3 -> random.nextBoolean() ? Long.MIN_VALUE : Long.MAX_VALUE;
              default -> random.nextLong() >> shift;
            };
        if (model.add(hashes[i])) {
          present.add(hashes[i]);
        }
      }
      merge(filter, hashes);
    }
    // So many that they do not fit into a page of HashBlocks.
    long[] many = random.longs(500_000).toArray();
    LongStream.of(many).forEach(model::add);
    merge(filter, many);
    List<HashBlock> read = read(filter);
    assertThat(hashes(filter))
        .as("seed %d", seed)
        .isEqualTo(model.stream().mapToLong(hash -> hash).toArray());
    assertThat(read.size()).as("seed %d", seed).isGreaterThan(HashBlocks.PAGE);
    assertThat(read).allMatch(block -> block.hashes().length <= FULL);
    assertThat((int) database.transact(tx -> HashBlocks.count(tx, filter))).isEqualTo(read.size());
    assertThat(hashes(other)).containsExactly(1, 2, 3);
  }

  @Test
  void aFullBlockBecomesTwoEvenHalves() {
    merge(filter, LongStream.range(0, FULL).toArray());
    assertThat(read(filter)).hasSize(1);
    merge(filter, FULL);
    assertThat(read(filter))
        .extracting(HashBlock::first, HashBlock::last, block -> block.hashes().length)
        .containsExactly(tuple(Long.MIN_VALUE, 4095L, 4096), tuple(4096L, Long.MAX_VALUE, 4097));
  }

  @Test
  void storedHashesAreNotWrittenAgain() {
    merge(filter, LongStream.range(0, 20_000).map(i -> i * 0x9E3779B97F4A7C15L).toArray());
    sent.clear();
    merge(filter, LongStream.range(5000, 9000).map(i -> i * 0x9E3779B97F4A7C15L).toArray());
    assertThat(inserts()).isEmpty();
    merge(filter, 4711);
    assertThat(inserts()).hasSize(1);
    assertThat(sent.values()).filteredOn(HashBlocksIT::isBlock).hasSize(1);
  }

  /** Blocks go as hexadecimal digits. */
  private static boolean isBlock(Object value) {
    return value instanceof String text && text.matches("[0-9a-f]{1000,}");
  }

  private static List<String> inserts() {
    return sent.texts().stream().filter(text -> text.startsWith("insert")).toList();
  }

  @Test
  void blocksOfOneFilterAreDeletedInParts() {
    merge(filter, LongStream.range(0, 20_000).toArray());
    merge(other, 7);
    assertThat(deleteBefore(0, 100)).isZero();
    assertThat(deleteBefore(1, 3)).isEqualTo(3);
    assertThat(deleteBefore(1, 100)).isEqualTo(1);
    assertThat(deleteBefore(1, 100)).isZero();
    assertThat(read(filter)).isEmpty();
    assertThat(hashes(other)).containsExactly(7);
  }

  /** They may still be there, since they are deleted only after the clear. */
  @Test
  void blocksOfBeforeAClearMeanNothing() throws SQLException {
    FilterRecord before = reserve("cleared");
    ShortLease.of("cleared", sql);
    bloom.admin("cleared").clear();
    FilterRecord after = find("cleared");
    merge(before, 1, 2, 3);
    assertThat(read(after)).isEmpty();
    long[] some = {1, 2};
    Set<Long> held = database.transact(tx -> HashBlocks.holding(tx, after, some));
    assertThat(held).isEmpty();
    Set<Long> locked = database.transact(tx -> HashBlocks.lockHolding(tx, after, some));
    assertThat(locked).isEmpty();
    merge(after, 2, 7);
    assertThat(hashes(after)).containsExactly(2, 7);
    assertThat(hashes(before)).containsExactly(1, 2, 3);
  }

  private int deleteBefore(long begins, int limit) {
    return database.transact(tx -> HashBlocks.deleteBefore(tx, filter.id(), begins, limit));
  }

  @ParameterizedTest
  @CsvSource({
    "'', 'holds 0 bytes, which is not 1 to 8192 hashes of 8 bytes'",
    "0000000000000001FF, 'holds 9 bytes, which is not 1 to 8192 hashes of 8 bytes'",
    "00000000000000020000000000000001, 'holds the hash 1 after 2, but must ascend'",
    "00000000000000020000000000000002, 'holds the hash 2 after 2, but must ascend'",
    "0000000000002000, 'holds the hash 8192, but ends at 8191'",
  })
  void anInvalidBlockIsRefused(String payload, String why) throws SQLException {
    store(Long.MIN_VALUE, payload);
    store(8192, "0000000000002000");
    assertRefused("block " + Long.MIN_VALUE + " " + why);
  }

  @Test
  void aBlockThatIsTooLargeIsRefused() throws SQLException {
    ByteBuffer bytes = ByteBuffer.allocate(8 * 8193);
    LongStream.range(0, 8193).forEach(bytes::putLong);
    sql.run(
        "INSERT INTO bloom_hash_block VALUES (?, 0, ?, ?)",
        filter.id(),
        Long.MIN_VALUE,
        bytes.array());
    assertRefused("holds 65544 bytes");
  }

  @Test
  void aMissingFirstBlockIsRefused() throws SQLException {
    store(-5, "0000000000000001");
    assertRefused("the first block, " + Long.MIN_VALUE + ", is missing");
  }

  private static void store(long first, String payload) throws SQLException {
    sql.run("INSERT INTO bloom_hash_block VALUES (?, 0, ?, UNHEX(?))", filter.id(), first, payload);
  }

  private void assertRefused(String why) throws SQLException {
    String stored = "SELECT HEX(hashes) FROM bloom_hash_block ORDER BY first_hash";
    List<String> before = sql.texts(stored);
    for (ThrowingCallable use :
        List.<ThrowingCallable>of(() -> read(filter), () -> merge(filter, -10))) {
      assertThatThrownBy(use)
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageContainingAll("filter blocks", why, "Restore the bloom_ tables");
    }
    assertThat(sql.texts(stored)).isEqualTo(before);
  }
}
