package io.github.slotbloom;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.keys;
import static java.time.temporal.ChronoUnit.MILLIS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.internal.admin.ReadStatus;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.TestSchema;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the catalog tells of a filter without counting its bits. */
@DatabaseContract(migrated = true)
@Timeout(180)
class FilterStatusIT {

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom bloom;

  private final String name = newName();

  private FilterStatus status() {
    return bloom.status(name).orElseThrow();
  }

  @Test
  void aMissingFilterHasNone() {
    assertThat(bloom.status(name)).isEmpty();
  }

  @Test
  void itAgreesWithTheFullFigures() {
    Instant expiresAt = bloom.databaseTime().plus(Duration.ofDays(1)).truncatedTo(MILLIS);
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text())
            .capacity(1000)
            .retainHashes()
            .expiresAt(expiresAt)
            .buildRemovable();
    try (BloomFilter<String> filter = bloom.reserve(name, spec)) {
      filter.addEach(keys("key ", 1500));
      Removing.from(filter).remove("key 1");
      FilterInfo info = bloom.info(filter.name());
      assertThat(status())
          .isEqualTo(
              new ReadStatus(
                  info.id(),
                  name,
                  "text",
                  true,
                  true,
                  info.window(),
                  OnFull.GROW,
                  info.capacity(),
                  info.falsePositiveRate(),
                  info.generations().size(),
                  info.bits(),
                  1499,
                  1,
                  1499,
                  info.used(),
                  false,
                  info.createdAt(),
                  info.expiresAt()));
      assertThat(status().generationCount()).isGreaterThan(1);
      assertThat(status().expiresAt()).contains(expiresAt);
    }
  }

  @Test
  void aWindowCountsWhatItsFullFiguresCount() {
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text()).capacity(1000).window(Duration.ofDays(1), 4).build();
    try (BloomFilter<String> filter = bloom.reserve(name, spec)) {
      filter.addEach(keys("key ", 20));
      FilterInfo info = bloom.info(filter.name());
      assertThat(status().window()).isEqualTo(info.window());
      assertThat(status().capacity()).isEqualTo(info.capacity());
      assertThat(status().keysAdded()).isEqualTo(20);
      assertThat(status().removable()).isFalse();
    }
  }

  @Test
  void anExpiredFilterHasNone() {
    bloom.reserve(name, FilterSpec.builder(KeyType.bytes()).capacity(10).build()).close();
    assertThat(status().keyType()).isEqualTo("bytes");
    bloom.admin(name).expireAt(bloom.databaseTime());
    assertThat(bloom.status(name)).isEmpty();
  }
}
