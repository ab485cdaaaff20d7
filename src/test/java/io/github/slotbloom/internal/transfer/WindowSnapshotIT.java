package io.github.slotbloom.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ClockedConnections;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A copy of a window forgets each key when the window itself does. */
@DatabaseContract(migrated = true, shortLeases = true)
@Timeout(300)
class WindowSnapshotIT {

  private static final Duration DAY = Duration.ofDays(1);
  private static final Instant NOON = Instant.parse("2026-03-02T12:00:00Z");

  @Fixture private static TestSchema schema;

  private static ClockedConnections clock;

  @TempDir private Path folder;
  private SlotBloom bloom;

  @BeforeDatabase
  static void makeClock() {
    clock = new ClockedConnections(schema.pool(), NOON);
  }

  @BeforeEach
  void open() {
    clock.set(NOON);
    bloom = SlotBloom.builder(clock.dataSource()).build();
  }

  @AfterEach
  void close() {
    bloom.close();
  }

  private BloomFilter<String> threeDays(Use use, String name) {
    return bloom.reserve(
        name + use.filterName(),
        FilterSpec.builder(KeyType.text())
            .capacity(3000)
            .falsePositiveRate(1e-6)
            .window(DAY.multipliedBy(3), 3)
            .renew()
            .build(),
        use.options());
  }

  private static void requireKeys(BloomFilter<String> filter, String... expected) {
    List<String> all = List.of("a", "b", "c", "d");
    await()
        .untilAsserted(
            () -> assertThat(all.stream().filter(filter::mightContain)).containsExactly(expected));
  }

  /** One key of each of three buckets, the first of which is renewed in the third. */
  private static void fill(BloomFilter<String> filter) {
    assertThat(filter.add("a")).isTrue();
    clock.advance(DAY);
    assertThat(filter.add("b")).isTrue();
    clock.advance(DAY);
    assertThat(filter.add("c")).isTrue();
    assertThat(filter.add("a")).isFalse();
  }

  @Test
  void aCopyAndAnImportForgetAsTheWindowDoes() throws Exception {
    BloomFilter<String> filter = threeDays(Use.MIRRORED, "exported_");
    fill(filter);
    Path file = folder.resolve("window");
    bloom.admin(filter.name()).exportTo(file);
    bloom.importFrom("imported", file);
    bloom.admin(filter.name()).copyTo("copied");
    List<BloomFilter<String>> all =
        List.of(
            filter, bloom.open("imported", KeyType.text()), bloom.open("copied", KeyType.text()));
    for (BloomFilter<String> each : all) {
      assertThat(bloom.info(each.name()).keysAdded()).isEqualTo(3);
      assertThat(bloom.info(each.name()).keysSet()).isEqualTo(4);
      requireKeys(each, "a", "b", "c");
    }
    clock.advance(DAY);
    all.forEach(each -> assertThat(each.add("d")).isTrue());
    clock.advance(DAY.multipliedBy(2));
    for (BloomFilter<String> each : all) {
      requireKeys(each, "a", "c", "d");
      assertThat(each.add("b")).isTrue();
    }
    clock.advance(DAY);
    for (BloomFilter<String> each : all) {
      requireKeys(each, "b", "d");
      assertThat(each.add("c")).isTrue();
      assertThat(bloom.info(each.name()).keysAdded()).isEqualTo(3);
    }
    bloom.importFrom("later", file);
    BloomFilter<String> old = bloom.open("later", KeyType.text());
    requireKeys(old);
    assertThat(old.add("a")).isTrue();
  }

  @Test
  void windowsAreNotMergedComparedOrReplaced() {
    BloomFilter<String> one = threeDays(Use.MIRRORED, "one_");
    BloomFilter<String> other = threeDays(Use.DIRECT, "other_");
    assertThatThrownBy(() -> bloom.admin(one.name()).mergeInto(other.name()))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining(one.name() + " is a window");
    assertThatThrownBy(() -> bloom.admin(one.name()).similarityTo(other.name()))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("cannot be compared");
    assertThatThrownBy(() -> bloom.admin(one.name()).grow(100_000))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("sized separately");
  }
}
