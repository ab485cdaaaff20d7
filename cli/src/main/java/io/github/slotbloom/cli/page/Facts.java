package io.github.slotbloom.cli.page;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.report.FilterUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Shows the figures of a filter as tables of names and values. */
record Facts(FilterInfo info, RateModel rates) {

  private static final String NONE = "–";

  /** The smallest share to show. A smaller one would appear as zero. */
  private static final double LEAST_SHARE = 0.001;

  List<Fact> headlines() {
    return List.of(
        new Fact(
            "Keys added",
            Notation.count(info.keysAdded()),
            info.window().isPresent()
                ? "that have not expired, and " + Notation.count(info.keysRenewed()) + " renewed"
                : "of a capacity of " + Notation.count(info.capacity())),
        new Fact(
            "False positive rate",
            Notation.rate(rates.now()),
            (info.backlog() > 0 ? "expected; target " : "now; target ")
                + Notation.rate(info.falsePositiveRate())),
        new Fact(
            "Estimated keys",
            (info.saturated() ? "≥\u00a0" : "") + Notation.count(Math.round(info.estimatedKeys())),
            info.backlog() > 0 ? "from the set bits and unfolded keys" : "estimated"),
        new Fact("Size of the bit array", Notation.bytes(bitsBytes()), bitsPerKey()));
  }

  private long bitsBytes() {
    return info.mirrorBytes() - info.removedKeysBytes();
  }

  private String bitsPerKey() {
    return String.format(Locale.ROOT, "%.1f bits per key at capacity", info.bitsPerKey());
  }

  List<Fact> journal() {
    return List.of(
        new Fact("Newest entry", Notation.count(info.lastSequence()), ""),
        new Fact("Folded up to entry", Notation.count(info.foldedSequence()), ""),
        new Fact(
            "Entries waiting to be folded",
            Notation.count(info.backlog()),
            info.backlog() > 0 ? "their bits are not in the slots yet" : ""),
        new Fact(
            "Age of the oldest of them",
            info.backlog() > 0 ? Notation.duration(info.foldLag()) : NONE,
            ""),
        new Fact(
            "Entries in the journal",
            Notation.count(info.journalRows()),
            "folded ones are trimmed later"),
        new Fact("Cleared", Notation.count(info.epoch() - 1, "time"), "epoch " + info.epoch()));
  }

  /** Returns the usage that processes reported for the last days. */
  List<Fact> usage() {
    FilterUsage usage = info.usage();
    return List.of(
        new Fact("Lookups", Notation.count(usage.lookups()), ""),
        new Fact("Answered “there”", share(usage.hitRate()), "the hit rate"),
        new Fact("Adds", Notation.count(usage.adds()), ""),
        new Fact("Answered “seen”", share(usage.duplicateRate()), ""),
        new Fact(
            "False positives reported",
            Notation.count(usage.falsePositives()),
            usage.falsePositives() == 0 ? "by programs that find them" : ""),
        new Fact(
            "Observed false positive rate",
            rate(usage.observedFalsePositiveRate()),
            usage.observedFalsePositiveRate().isPresent()
                ? "over these days; estimated from the set bits: "
                    + Notation.rate(rates.now())
                    + " now"
                : ""));
  }

  private static String share(OptionalDouble share) {
    return share.isEmpty() || share.getAsDouble() >= LEAST_SHARE
        ? share.stream().mapToObj(Notation::share).findFirst().orElse(NONE)
        : rate(share);
  }

  private static String rate(OptionalDouble rate) {
    return rate.isPresent() ? Notation.rate(rate.getAsDouble()) : NONE;
  }

  List<Fact> sizes() {
    List<Fact> sizes = new ArrayList<>();
    sizes.add(new Fact("Bits, in the memory of each program", Notation.bytes(bitsBytes()), ""));
    if (info.removable()) {
      sizes.add(
          new Fact(
              "Removed keys, in the memory of each program",
              Notation.bytes(info.removedKeysBytes()),
              Notation.count(info.keysRemoved())
                  + " of at most "
                  + Notation.count(info.removableKeys(), "key")));
    }
    sizes.add(
        new Fact(
            "Slot tables, on disk",
            Notation.bytes(info.slotTableBytes()),
            "according to the server"));
    sizes.add(
        new Fact(
            "Journals, on disk",
            Notation.bytes(info.journalTableBytes()),
            "of all filters in the schema"));
    return List.copyOf(sizes);
  }

  List<Fact> parameters() {
    return List.of(
        new Fact("Key type", info.keyType(), ""),
        new Fact("Hash function", info.hash(), ""),
        new Fact(
            "Seed",
            info.seed().secret() ? "secret" : Long.toString(info.seed().value()),
            info.seed().secret() ? "not shown here" : ""),
        new Fact("Layout", Notation.choice(info.layout()), ""),
        new Fact("Can grow", Notation.yesOrNo(info.growable()), ""),
        new Fact("When full", Notation.choice(info.onFull()), ""),
        new Fact("Retains hashes", Notation.yesOrNo(info.retainHashes()), ""),
        new Fact(
            "Keys are found for",
            info.window().map(Window::length).map(Notation::duration).orElse("ever"),
            info.window().map(Facts::inWords).orElse("")),
        new Fact("Keys can be removed", Notation.yesOrNo(info.removable()), ""),
        new Fact("Number", Long.toString(info.id()), ""),
        new Fact("Created", Notation.time(info.createdAt()), ""),
        new Fact("Expires", info.expiresAt().map(Notation::time).orElse("never"), ""));
  }

  private static String inWords(Window window) {
    return "and a bucket of "
        + Notation.duration(window.bucketLength())
        + " longer at most, from "
        + (window.renews() ? "each" : "the first")
        + " add on";
  }
}
