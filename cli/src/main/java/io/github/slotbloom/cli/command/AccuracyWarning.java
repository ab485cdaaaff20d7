package io.github.slotbloom.cli.command;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterStatus;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.cli.terminal.Messages;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.report.CurrentFalsePositiveRate;
import java.util.Locale;

/** Warns that a filter has far more false positives than it should. */
final class AccuracyWarning {

  private AccuracyWarning() {}

  /** Warns on standard error if the filter is inaccurate, and returns true if it is. */
  static boolean of(SlotBloom bloom, BloomFilter<?> filter, Messages messages) {
    CurrentFalsePositiveRate rate = filter.statistics().currentFalsePositiveRate();
    if (rate.isFarAboveTarget()) {
      messages.notice(
          String.format(
              Locale.ROOT,
              "The false positive rate of filter %s is %.3g %%, far above its target of %.3g %%, so"
                  + " new keys can count as seen. The filter holds more keys than its capacity. %s",
              new FilterName(filter.name()),
              100 * rate.current(),
              100 * rate.target(),
              remedy(bloom, filter)));
    }
    return rate.isFarAboveTarget();
  }

  private static String remedy(SlotBloom bloom, BloomFilter<?> filter) {
    return bloom.status(filter.name()).flatMap(FilterStatus::window).isPresent()
        ? "Its keys expire; create a window with a larger capacity under another name: slotbloom"
            + " reserve NAME --capacity N --window SPAN."
        : "Replace it with a larger one: slotbloom grow "
            + new FilterName(filter.name())
            + " --capacity N --from FILE.";
  }
}
