package io.github.slotbloom.cli.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.cli.Environment;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a user is told while a command works. */
class NarratorTest {

  private final ByteArrayOutputStream told = new ByteArrayOutputStream();

  private Narrator narrator(boolean acknowledgesKeys) {
    return new Narrator(
        Duration.ofSeconds(30),
        acknowledgesKeys,
        new Messages(
            new PrintStream(told, true, UTF_8), new Terminal("", "", new Environment(Map.of()))));
  }

  @Test
  void aCommandThatRecordsNothingDoesNotWarnOfWhatACrashLoses() {
    narrator(false).on(new SlotBloomEvent.WeakDurability("sync_binlog is 0."));
    assertThat(told.toString(UTF_8)).isEmpty();
    narrator(true).on(new SlotBloomEvent.WeakDurability("sync_binlog is 0."));
    assertThat(told.toString(UTF_8)).isEqualTo("slotbloom: Warning: sync_binlog is 0.\n");
  }

  @Test
  void aWindowThatCannotPrepareItsNextBucketIsTold() {
    narrator(false).on(new SlotBloomEvent.RotationFailed("seen", "No CREATE."));

    assertThat(told.toString(UTF_8))
        .isEqualTo(
            "slotbloom: Filter seen cannot prepare its next bucket right now, so its keys live"
                + " longer than they should: No CREATE.\n");
  }
}
