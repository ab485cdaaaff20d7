package io.github.slotbloom.internal.fold;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.journal.FoldState;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** A batch that is kept over several transactions, while the filter changes. */
@DatabaseContract(migrated = true)
class FoldBatchIT {

  private final DataSource pool;
  private final Sql sql;

  FoldBatchIT(TestSchema schema) {
    pool = schema.pool(settings -> settings.setMaximumPoolSize(3));
    sql = new Sql(schema.dataSource());
  }

  /** Entries by hand, each with the token seq + 1000; those up to {@code fullUpTo} are full. */
  private void append(long id, long first, long last, int fullUpTo, String hash)
      throws SQLException {
    sql.run(
        ByHand.INSERT_ENTRY
            + " WITH RECURSIVE n (s) AS (SELECT "
            + first
            + " UNION ALL SELECT s + 1 FROM n WHERE s < "
            + last
            + ") SELECT "
            + id
            + ", s, s + 1000, IF(s = "
            + first
            + ", (SELECT e.token FROM bloom_journal e WHERE e.seq = 0 AND e.filter_id = "
            + id
            + "), s + 999), 'ADD', REPEAT(UNHEX('"
            + hash
            + "'), IF(s <= "
            + fullUpTo
            + ", 8192, 1)), UTC_TIMESTAMP(3) FROM n");
    sql.run(
        "UPDATE bloom_journal SET last_seq = ?, token = ? WHERE filter_id = ? AND seq = 0",
        last,
        last + 1000,
        id);
  }

  @Test
  void aBatchRestartsAfterAFailoverAndAGrowth() throws SQLException {
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      bloom.reserve("words", FilterSpec.builder(KeyType.text()).capacity(10_000).build()).close();
      Database database = Database.connect(pool);
      FilterRecord opened =
          database.transact(tx -> Catalog.find(tx, new FilterName("words"))).orElseThrow();
      FollowedFilter followed = new FollowedFilter(opened);
      long id = opened.id();
      append(id, 1, 300, 250, "0123456789ABCDEF");
      FoldBatch batch =
          database.transact(
              tx -> {
                FilterRecord now = followed.requireUnchanged(tx);
                FoldBatch begun = new FoldBatch(now, FoldRows.lock(tx, id).orElseThrow());
                begun.gather(tx, List.of());
                return begun;
              });
      assertThat(batch.end()).isEqualTo(256);
      assertThat(batch.isGathered()).isFalse();
      // A failover loses what follows; then the filter grows and goes on.
      sql.run("DELETE FROM bloom_journal WHERE filter_id = ? AND seq > 256", id);
      sql.run(
          "UPDATE bloom_journal SET last_seq = 256, token = 1256 WHERE filter_id = ? AND seq = 0",
          id);
      bloom.admin("words").grow(30_000);
      append(id, 258, 320, 0, "FEDCBA9876543210");
      FoldBatch next =
          database.transact(
              tx -> {
                FoldState state = FoldRows.lock(tx, id).orElseThrow();
                FilterRecord now = followed.requireUnchanged(tx);
                assertThat(batch.continues(tx, now, state)).isFalse();
                FoldBatch anew = new FoldBatch(now, state);
                while (!anew.isGathered()) {
                  anew.gather(tx, List.of());
                }
                return anew;
              });
      assertThat(next.end()).as("where the next generation begins").isEqualTo(257);
      assertThat(next.unwritten().orElseThrow().generation().number()).isEqualTo(1);
    }
  }

  @Test
  void whoFindsAnotherFoldingLeaves() {
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      bloom.reserve("busy", FilterSpec.builder(KeyType.text()).capacity(1000).build()).close();
      Database database = Database.connect(pool);
      long id =
          database.transact(tx -> Catalog.find(tx, new FilterName("busy"))).orElseThrow().id();
      boolean alone =
          database.transact(
              tx -> {
                assertThat(FoldRows.tryLock(tx, id)).isPresent();
                return database.transact(other -> FoldRows.tryLock(other, id)).isEmpty();
              });
      assertThat(alone).isTrue();
    }
  }
}
