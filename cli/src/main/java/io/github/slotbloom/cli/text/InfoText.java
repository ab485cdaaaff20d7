package io.github.slotbloom.cli.text;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterInfo.Bucket;
import io.github.slotbloom.FilterInfo.Generation;
import io.github.slotbloom.cli.page.UsedShare;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.terminal.Wording;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.report.FilterUsage;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Prints the figures of a filter for people: in words, with units, in groups. */
public final class InfoText {

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private static final MathContext TWO_DIGITS = new MathContext(2);

  /** A smaller rate is shown with an exponent, because it would have too many zeros. */
  private static final double LEAST_PLAIN_RATE = 1e-4;

  /** A larger rate is not shown as "one in" so many, because that would be one or two. */
  private static final double LARGEST_RATE_IN_WORDS = 0.1;

  /** A smaller rate is not shown as "one in" so many, because nobody reads such a number. */
  private static final double LEAST_RATE_IN_WORDS = 1e-12;

  private final FilterInfo info;
  private final Output output;

  public InfoText(FilterInfo info, Output output) {
    this.info = info;
    this.output = output;
  }

  /**
   * Prints all figures.
   *
   * @param seed the seed, or what to say instead of it
   */
  public void print(String seed) {
    output.println("Filter " + new FilterName(info.name()));
    printKeys();
    printBits();
    printJournal();
    printUsage();
    output.println("");
    print("Key type", info.keyType());
    print("Hash", info.hash() + ", seed " + seed);
    print("Layout", ChoiceName.of(info.layout()));
    info.window().ifPresent(this::print);
    print("Growth", info.growable() ? "possible" : "not possible: it was created with --fixed");
    print("Created", TIME.format(info.createdAt()) + ", as number " + info.id());
    info.expiresAt().ifPresent(at -> print("Expires", TIME.format(at) + ", by the database clock"));
    if (info.epoch() > 1) {
      print("Cleared", count(info.epoch() - 1, "time"));
    }
    if (info.retainHashes()) {
      print("Retains hashes", "yes");
    }
    info.generations().forEach(this::print);
  }

  private void print(Window window) {
    print("Window", WindowText.of(window));
  }

  private void printKeys() {
    if (info.window().isPresent()) {
      print(
          "Keys",
          number(info.keysAdded())
              + (info.keysRenewed() > 0 ? ", and " + number(info.keysRenewed()) + " renewed" : ""));
      print(
          "Current bucket",
          "%s of %s (%s)%s"
              .formatted(
                  number(info.keysSet() - info.keysInPastBuckets()),
                  count(info.fullAt() - info.keysInPastBuckets(), "key"),
                  UsedShare.percent(info.used()) + " %",
                  fullness()));
    } else {
      print(
          "Keys",
          "%s%s of %s (%s)%s"
              .formatted(
                  number(info.keysAdded()),
                  info.keysSet() > info.keysAdded()
                      ? "; with removed keys " + number(info.keysSet())
                      : "",
                  number(info.fullAt()),
                  UsedShare.percent(info.used()) + " %",
                  fullness()));
    }
    if (info.removable()) {
      print(
          "Removed",
          "%s of at most %s; %s of memory"
              .formatted(
                  number(info.keysRemoved()),
                  count(info.removableKeys(), "key"),
                  ByteCount.of(info.removedKeysBytes())));
    }
    info.replacementCapacity()
        .ifPresent(
            capacity ->
                print(
                    "Being replaced",
                    "by one with a capacity of %s".formatted(count(capacity, "key"))));
    print("When full", onFull());
    print(
        "False positive rate",
        rate(info.currentFalsePositiveRate(), info.unfoldedKeys(), info.falsePositiveRate()));
    info.usage()
        .observedFalsePositiveRate()
        .ifPresent(
            observed -> print("Observed", rate(observed) + ", from reported false positives"));
    print(
        "Estimated keys",
        (info.saturated() ? "at least " : "about ")
            + number(Math.round(info.estimatedKeys()))
            + (info.unfoldedKeys() > 0 ? ", including unfolded keys" : ""));
  }

  private String fullness() {
    if (info.keysSet() > info.fullAt()) {
      return ", overfull";
    }
    return info.nearlyFull() ? ", nearly full" : "";
  }

  private String onFull() {
    return switch (info.onFull()) {
      case GROW -> "it grows automatically";
      case REFUSE -> "it rejects new keys";
      case DEGRADE -> "it adds more keys, and its false positive rate rises";
    };
  }

  private void printBits() {
    output.println("");
    print(
        "Bits",
        "%s, %s set; %s per key at capacity"
            .formatted(number(info.bits()), percent(info.fill()), tenths(info.bitsPerKey())));
    print("Memory", ByteCount.of(info.mirrorBytes()) + " in each process with a mirror");
    print(
        "On disk",
        ByteCount.of(info.slotTableBytes())
            + " for the slots; "
            + ByteCount.of(info.journalTableBytes())
            + " for the journals of all filters (by the server's statistics, which can be old)");
  }

  private void printJournal() {
    print(
        "Journal",
        "%s, the newest is number %s"
            .formatted(entries(info.journalRows()), number(info.lastSequence())));
    if (info.backlog() == 0) {
      print("To be folded", "nothing");
    } else {
      print(
          "To be folded",
          "%s in %s, the oldest %s s old; slotbloom fold %s folds them now"
              .formatted(
                  count(info.unfoldedKeys(), "key"),
                  entries(info.backlog()),
                  number(info.foldLag().toSeconds()),
                  new FilterName(info.name())));
    }
  }

  private static String entries(long number) {
    return number(number) + (number == 1 ? " entry" : " entries");
  }

  private void printUsage() {
    FilterUsage usage = info.usage();
    output.println("");
    output.println("Last %s days, as reported by processes".formatted(FilterInfo.USAGE_DAYS));
    StringBuilder lookups = new StringBuilder(number(usage.lookups()));
    usage.hitRate().ifPresent(share -> lookups.append(", answered yes: ").append(percent(share)));
    print("Lookups", lookups.toString());
    StringBuilder adds = new StringBuilder(number(usage.adds()));
    usage.duplicateRate().ifPresent(share -> adds.append(", seen before: ").append(percent(share)));
    print("Adds", adds.toString());
    if (usage.falsePositives() > 0) {
      print("False positives", number(usage.falsePositives()) + " reported");
    }
  }

  private void print(Generation generation) {
    output.println("");
    output.println(
        "Generation %s%s"
            .formatted(
                generation.number(),
                switch (generation.state()) {
                  case ACTIVE -> "";
                  case FILLING -> ", being filled";
                  case EXPIRED -> ", expired";
                }));
    generation.bucket().ifPresent(this::print);
    print("Capacity", count(generation.capacity(), "key"));
    print(
        "False positive rate",
        rate(
            generation.currentFalsePositiveRate(),
            generation.unfoldedKeys(),
            generation.falsePositiveRate()));
    print(
        "Bits",
        "%s, %s set; %s per key"
            .formatted(number(generation.bits()), percent(generation.fill()), generation.hashes()));
    if (generation.unfoldedKeys() > 0) {
      print("To be folded", count(generation.unfoldedKeys(), "key"));
    }
    print(
        "Slot table",
        "%s: %s of %s slots have a row, %s"
            .formatted(
                generation.slotTable(),
                number(generation.slotRows()),
                number(generation.slots()),
                ByteCount.of(generation.tableBytes())));
  }

  private void print(Bucket bucket) {
    print(
        "Bucket",
        "%s from %s to %s".formatted(count(bucket.keys(), "key"), bucket.begin(), bucket.end()));
    print("Expires", bucket.expiresAt().toString());
  }

  private void print(String name, String value) {
    output.println(String.format(Locale.ROOT, "  %-20s %s", name, Wording.oneLine(value)));
  }

  /** Returns a number and a noun, with an s in the plural. */
  public static String count(long number, String what) {
    return number(number) + " " + what + (number == 1 ? "" : "s");
  }

  private static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private static String tenths(double number) {
    return String.format(Locale.ROOT, "%.1f", number);
  }

  private static String percent(double share) {
    return tenths(100 * share) + " %";
  }

  /** Bits are known of folded keys; of others, how many they are likely to set. */
  private static String rate(double rate, long unfoldedKeys, double target) {
    return (unfoldedKeys > 0 ? "about " + rate(rate) + ", expected" : rate(rate) + " now")
        + "; target "
        + rate(target);
  }

  /** Returns a rate with two digits, and what it means. */
  private static String rate(double rate) {
    if (rate <= 0 || rate >= 1) {
      return rate <= 0 ? "0" : "1";
    }
    String digits =
        rate < LEAST_PLAIN_RATE
            ? String.format(Locale.ROOT, "%.1e", rate)
            : new BigDecimal(rate).round(TWO_DIGITS).stripTrailingZeros().toPlainString();
    if (rate < LEAST_RATE_IN_WORDS || rate > LARGEST_RATE_IN_WORDS) {
      return digits;
    }
    BigDecimal oneIn = BigDecimal.ONE.divide(new BigDecimal(rate), TWO_DIGITS);
    return digits + " (1 in " + number(oneIn.longValue()) + ")";
  }
}
