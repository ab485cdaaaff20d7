package io.github.slotbloom.resp.filter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.FilterNames;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestSchema;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Filters are open while they are used. */
@DatabaseContract(migrated = true, onOne = true)
@Timeout(180)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
class LanesIT {

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom bloom;

  private final String name = FilterNames.newName();
  private final AtomicLong nanos = new AtomicLong();

  @Test
  void aFilterThatNobodyUsesIsClosedAndOpenedAnewWhenItIsNamed() throws Exception {
    bloom.reserve(name, FilterSpec.builder(KeyType.text()).capacity(100).build()).close();
    ThreadPoolExecutor workers =
        new ThreadPoolExecutor(2, 2, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
    try (Lanes lanes = new Lanes(() -> bloom, FilterOptions.defaults(), workers, nanos::get)) {
      assertThat(first(lanes, Lane.Kind.ADD)).isTrue();
      pass(Duration.ofMinutes(9));
      assertThat(first(lanes, Lane.Kind.ASK)).isTrue();
      pass(Duration.ofMinutes(9));
      lanes.closeIdle();
      assertThat(lanes.openFilters()).isEqualTo(1);

      pass(Duration.ofMinutes(1));
      lanes.closeIdle();
      assertThat(lanes.openFilters()).isZero();

      assertThat(first(lanes, Lane.Kind.ASK)).isTrue();
      assertThat(first(lanes, Lane.Kind.ADD)).isFalse();
      assertThat(lanes.openFilters()).isEqualTo(1);
    } finally {
      workers.shutdown();
    }
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  private boolean first(Lanes lanes, Lane.Kind kind) throws Exception {
    return lanes
        .submit(new Lane(kind, Family.BLOOM, name), List.of("a".getBytes(UTF_8)), null)
        .get(60, TimeUnit.SECONDS)
        .each()[0];
  }
}
