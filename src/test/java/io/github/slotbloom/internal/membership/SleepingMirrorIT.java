package io.github.slotbloom.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.ExpectedLog;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.Reloads;
import io.github.slotbloom.testing.Sleeper;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process could not hear of the database for a while, and the database went on. */
@DatabaseContract
@Timeout(180)
class SleepingMirrorIT {

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom awake;
  @Fixture private static Sql sql;

  private enum Touch {
    ASK,
    ADD
  }

  @ParameterizedTest
  @EnumSource
  @ExpectedLog(KnownLogs.MIRROR_RELOADED)
  void aMirrorReloadsIfRowsPastItsCursorWereTrimmed(Touch touch) throws SQLException {
    String name = "trimmed_" + touch.ordinal();
    BloomFilter<String> mine = awake.reserve(name, Use.MIRRORED.spec(KeyType.text()));
    assertThat(mine.add("a")).isTrue();
    Reloads told = new Reloads();
    try (Sleeper sleeper = new Sleeper(schema, told)) {
      BloomFilter<String> theirs = sleeper.bloom().open(name, KeyType.text());
      sleeper.sleep();
      for (int i = 0; i < 5; i++) {
        assertThat(mine.add("key " + i)).isTrue();
      }
      awake.admin(mine.name()).fold();
      ByHand.trimAllButTheLast(awake.info(mine.name()), sql);
      sleeper.wake();
      if (touch == Touch.ASK) {
        assertThat(theirs.mightContainEach(List.of("a", "key 0", "key 4", "z")))
            .containsExactly(true, true, true, false);
      }
      assertThat(theirs.addEach(List.of("key 0", "key 3", "b")))
          .containsExactly(false, false, true);
      assertThat(told.of(name)).hasSize(1).allMatch(reason -> reason.contains("trimmed"));
      assertThat(mine.add("b")).isFalse();
      assertThat(awake.info(mine.name()).keysAdded()).isEqualTo(7);
    }
  }

  @Test
  void theListenerHearsHowLongTheDatabaseWasSilent() throws Exception {
    awake.reserve("lagging", Use.MIRRORED.spec(KeyType.text())).close();
    BlockingQueue<Duration> ages = new LinkedBlockingQueue<>();
    SlotBloomListener listener =
        event -> {
          if (event instanceof SlotBloomEvent.Lagging lagging) {
            assertThat(lagging.filter()).isEqualTo("lagging");
            ages.add(lagging.age());
          }
        };
    try (Sleeper sleeper = new Sleeper(schema, listener)) {
      BloomFilter<String> filter = sleeper.bloom().open("lagging", KeyType.text());
      sleeper.sleep();
      assertThat(ages.poll(60, TimeUnit.SECONDS)).isGreaterThan(Duration.ofSeconds(4));
      sleeper.wake();
      assertThat(filter.mightContain("a")).isFalse();
      assertThat(ages).as("told with later ticks, too").isEmpty();
    }
  }
}
