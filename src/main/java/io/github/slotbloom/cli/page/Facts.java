package io.github.slotbloom.cli.page;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterInfo.Generation;
import java.util.List;
import java.util.Locale;

/** The figures of a filter as tables of names and values. */
final class Facts {

  private final FilterInfo info;
  private final RateModel rates;

  Facts(FilterInfo info, RateModel rates) {
    this.info = info;
    this.rates = rates;
  }

  List<Fact> headlines() {
    return List.of(
        new Fact(
            "Keys added",
            Notation.count(info.keysAdded()),
            "of " + Notation.count(info.capacity()) + " it was made for"),
        new Fact(
            "Error rate",
            Notation.rate(rates.now()),
            (info.backlog() > 0 ? "expected; target " : "now; target ")
                + Notation.rate(info.falsePositiveRate())),
        new Fact(
            "Keys, by the bits",
            (info.saturated() ? "≥\u00a0" : "") + Notation.count(Math.round(info.estimatedKeys())),
            info.backlog() > 0 ? "estimated, of folded entries" : "estimated"),
        new Fact("Size of the bits", Notation.bytes(bytes()), bitsPerKey()));
  }

  private long bytes() {
    return info.generations().stream().mapToLong(g -> g.bits() / Byte.SIZE).sum();
  }

  private String bitsPerKey() {
    long bits = info.generations().stream().mapToLong(Generation::bits).sum();
    return String.format(
        Locale.ROOT, "%.1f bits a key at capacity", (double) bits / info.capacity());
  }

  List<Fact> journal() {
    return List.of(
        new Fact("Newest entry", Notation.count(info.lastSequence()), ""),
        new Fact("Folded up to entry", Notation.count(info.foldedSequence()), ""),
        new Fact(
            "Entries that wait to be folded",
            Notation.count(info.backlog()),
            info.backlog() > 0 ? "their bits are not in the slots yet" : ""),
        new Fact(
            "Entries in the journal",
            Notation.count(info.journalRows()),
            "folded ones are trimmed after two hours"),
        new Fact("Cleared", Notation.count(info.epoch() - 1, "time"), "epoch " + info.epoch()));
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
        new Fact("Write mode", Notation.choice(info.writeMode()), ""),
        new Fact("May grow", Notation.yesOrNo(info.growable()), ""),
        new Fact("When full", Notation.choice(info.whenFull()), ""),
        new Fact("Retains hashes", Notation.yesOrNo(info.retainHashes()), ""),
        new Fact("Number", Long.toString(info.id()), ""),
        new Fact("Reserved", Notation.time(info.createdAt()), ""));
  }
}
