package io.github.slotbloom.cli.command;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterStatus;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.cli.terminal.Messages;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.report.CurrentErrorRate;
import java.util.Locale;

/** Warns that a filter has far more false positives than it should. */
final class AccuracyWarning {

  private AccuracyWarning() {}

  /** Warns on standard error if the filter is inaccurate, and returns true if it is. */
  static boolean of(SlotBloom bloom, BloomFilter<?> filter, Messages messages) {
    CurrentErrorRate rate = filter.statistics().currentErrorRate();
    if (rate.isFarAboveTarget()) {
      messages.notice(
          String.format(
              Locale.ROOT,
              "Filter %s errs far more often than it should: it answers \"seen\" for %.3g %% of all"
                  + " new keys, and its target is %.3g %%. It holds more keys than it was made for. %s",
              new FilterName(filter.name()),
              100 * rate.current(),
              100 * rate.target(),
              remedy(bloom, filter)));
    }
    return rate.isFarAboveTarget();
  }

  private static String remedy(SlotBloom bloom, BloomFilter<?> filter) {
    return bloom.status(filter.name()).flatMap(FilterStatus::window).isPresent()
        ? "Its keys expire; reserve a window for more keys, by another name."
        : "Replace it by a larger one: slotbloom grow "
            + new FilterName(filter.name())
            + " --capacity N --from FILE.";
  }
}
