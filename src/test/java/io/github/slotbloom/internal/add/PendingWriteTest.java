package io.github.slotbloom.internal.add;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.internal.engine.Deadline;
import io.github.slotbloom.internal.mirror.TimeSource;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PendingWriteTest {

  private final PendingWrite pending =
      new PendingWrite(
          PendingWrite.Kind.ADD,
          new long[] {1},
          Deadline.in(TimeSource.SYSTEM, Duration.ofSeconds(1)));

  @Test
  void anAddAbandonedBeforeTheWriterTakesItWritesNothing() {
    assertThat(pending.abandon()).isTrue();
    assertThat(pending.abandon()).isTrue();
    assertThat(pending.take()).isFalse();
    assertThat(pending.isAbandoned()).isTrue();
  }

  @Test
  void anAddAbandonedLaterHasAnUnknownOutcome() {
    assertThat(pending.take()).isTrue();
    assertThat(pending.take()).isTrue();
    assertThat(pending.abandon()).isFalse();
    assertThat(pending.abandon()).isFalse();
    assertThat(pending.isAbandoned()).isTrue();
    assertThat(pending.take()).isFalse();
  }
}
