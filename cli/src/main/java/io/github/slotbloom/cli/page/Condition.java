package io.github.slotbloom.cli.page;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.cli.page.Notice.Level;
import java.util.List;

/** The condition of the filter in a word and a sentence. */
record Condition(Level level, String word, String sentence) {

  static Condition of(FilterInfo info, RateModel rates, List<Notice> notices) {
    Level worst = notices.stream().map(Notice::level).min(Level::compareTo).orElse(Level.NOTE);
    return new Condition(worst, word(info, worst), sentence(info, rates));
  }

  private static String word(FilterInfo info, Level worst) {
    if (worst == Level.DAMAGE) {
      return "Damaged";
    }
    if (info.keysSet() > info.fullAt()) {
      return "Overfull";
    }
    if (info.keysSet() == info.fullAt()) {
      return "Full";
    }
    if (worst == Level.WARNING) {
      return info.nearlyFull() ? "Nearly full" : "Needs attention";
    }
    return info.nearlyFull() ? "Healthy, nearly full" : "Healthy";
  }

  private static String sentence(FilterInfo info, RateModel rates) {
    return Notation.used(info.used())
        + (info.window().isPresent() ? " of the current bucket" : " of the capacity")
        + " is used, and the false positive rate is "
        + (info.backlog() > 0 ? "about " : "")
        + Notation.rate(rates.now())
        + " of a target of "
        + Notation.rate(info.falsePositiveRate())
        + ".";
  }
}
