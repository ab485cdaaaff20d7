package io.github.slotbloom.internal.admin;

import static io.github.slotbloom.testing.FilterNames.newName;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.Rescue;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Use;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A rescue ends at its time. The clock of the database must run for this. */
@DatabaseContract(shortLeases = true)
@Timeout(180)
class RescueEndIT {

  private static final Use USE = Use.MIRRORED;

  private static final Rescue MISTAKE = Rescue.because("listed by mistake");

  @Fixture private static SlotBloom here;

  @Test
  void aRescueEndsByItselfByTheClockOfTheDatabase() {
    BloomFilter<String> filter = USE.reserve(here, newName());
    filter.add("a");
    Instant end = here.databaseTime().plusSeconds(3);

    filter.blockList().rescue("a", MISTAKE.until(end));

    await().until(() -> !here.databaseTime().isBefore(end.plusMillis(500)));
    await().until(() -> filter.blockList().isBlocked("a"));
    assertThat(filter.blockList().rescued()).isEmpty();
    assertThat(filter.blockList().endRescue("a")).isFalse();
  }
}
