package io.github.slotbloom;

import io.github.slotbloom.internal.time.TimeSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import javax.sql.DataSource;

/** A {@link SlotBloom} whose clock and background a test drives. */
public final class DrivenBloom {

  private DrivenBloom() {}

  public static SlotBloom on(
      DataSource dataSource,
      TimeSource clock,
      ExecutorService background,
      ScheduledExecutorService ticks) {
    return SlotBloom.builder(dataSource).drivenBy(clock, background, ticks).build();
  }
}
