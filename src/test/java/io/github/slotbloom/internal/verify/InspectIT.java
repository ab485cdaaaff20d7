package io.github.slotbloom.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.report.HeatMap;
import io.github.slotbloom.report.Inspection;
import io.github.slotbloom.report.KeyExplanation;
import io.github.slotbloom.report.KeyExplanation.Entry;
import io.github.slotbloom.report.KeyExplanation.InGeneration;
import io.github.slotbloom.report.KeyExplanation.Probed;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is shown of a filter is what its tables hold. */
@DatabaseContract
@Timeout(180)
class InspectIT {

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom bloom;
  @Fixture private static Sql sql;

  private static void reserve(String name, Layout layout) {
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text()).capacity(1000).layout(layout).retainHashes().build();
    try (BloomFilter<String> filter = bloom.reserve(name, spec)) {
      filter.addEach(IntStream.range(0, 500).mapToObj(i -> "key " + i).toList());
      bloom.admin(filter.name()).fold();
    }
  }

  @Test
  void theHeatMapCountsEveryBitOnceInItsRange() throws SQLException {
    for (Layout layout : Layout.values()) {
      String name = "map_" + layout.name().toLowerCase(Locale.ROOT);
      reserve(name, layout);
      sql.run("DELETE FROM " + sql.slots(name, 1) + " WHERE slot = 9");
      FilterInfo info = bloom.info(name);
      for (int ranges : List.of(1, 7, Inspection.MOST_RANGES)) {
        Inspection inspection = bloom.admin(name).inspect(ranges);
        assertThat(inspection.keysAdded()).isEqualTo(500);
        HeatMap map = inspection.generations().get(0);
        assertThat(map.active()).isTrue();
        assertThat(map.ranges().size()).isLessThanOrEqualTo(ranges);
        assertThat(map.bitsSet()).isEqualTo(info.bitsSet());
        assertThat(map.rows()).isEqualTo(info.generations().get(0).slotRows());
        assertThat(map.fill()).isEqualTo(info.generations().get(0).fill());
        long next = 0;
        for (HeatMap.Range range : map.ranges()) {
          assertThat(range.firstSlot()).isEqualTo(next);
          next += range.slots();
          assertThat(
                  sql.number(
                      "SELECT COALESCE(SUM(BIT_COUNT(bits)), 0) FROM "
                          + sql.slots(name, 1)
                          + " WHERE slot >= ? AND slot < ?",
                      range.firstSlot(),
                      next))
              .isEqualTo(range.bitsSet());
        }
        assertThat(next).isEqualTo(map.slots());
      }
    }
  }

  @Test
  void aMapOfNoRangesOrOfAMissingFilterIsRefused() {
    reserve("ranges", Layout.BLOCKED);
    assertThatThrownBy(() -> bloom.admin("ranges").inspect(0))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("not 0");
    assertThatThrownBy(() -> bloom.admin("none").inspect(9))
        .isInstanceOf(FilterNotFoundException.class);
  }

  @Test
  void theBitsOfAKeyAreExplainedInSlotsAndJournal() throws SQLException {
    reserve("keys", Layout.BLOCKED);
    bloom.admin("keys").grow(4000);
    KeyExplanation old = explain("key 7");
    assertThat(old.hash()).isEqualTo(ByHand.hash("key 7"));
    assertThat(old.isMember()).isTrue();
    assertThat(old.unfolded()).isEmpty();
    assertThat(old.retained()).isFalse();
    assertThat(old.generations()).extracting(InGeneration::hasAll).containsExactly(true, false);
    for (Probed probe : old.generations().get(0).probes()) {
      assertThat(probe.inSlots()).isTrue();
      assertThat(probe.inJournal()).isFalse();
      assertThat(probe.position()).isEqualTo(probe.slot() * 64 + probe.bit());
      assertThat(
              sql.number(
                  "SELECT (bits >> ?) & 1 FROM " + sql.slots("keys", 1) + " WHERE slot = ?",
                  probe.bit(),
                  probe.slot()))
          .isOne();
    }

    assertThat(explain("another").isMember()).isFalse();
    try (Connection other = schema.dataSource().getConnection()) {
      other.setAutoCommit(false);
      ByHand.append(other, "keys", "another", 4711);
      other.commit();
    }
    KeyExplanation journaled = explain("another");
    assertThat(journaled.isMember()).isTrue();
    assertThat(journaled.unfolded()).containsExactly(new Entry(journaled.lastSequence(), "add"));
    assertThat(journaled.generations().get(1).probes()).allMatch(Probed::inJournal);

    sql.run(
        "DELETE FROM " + sql.slots("keys", 1) + " WHERE slot = ?",
        old.generations().get(0).probes().get(0).slot());
    assertThat(explain("key 7").isMember()).isFalse();
    assertThatThrownBy(() -> bloom.admin("keys").explain(KeyType.longs(), 7L))
        .isInstanceOf(FilterMismatchException.class);
  }

  private static KeyExplanation explain(String key) {
    return bloom.admin("keys").explain(KeyType.text(), key);
  }
}
