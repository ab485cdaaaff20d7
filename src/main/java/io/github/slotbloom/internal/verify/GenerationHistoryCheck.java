package io.github.slotbloom.internal.verify;

import io.github.slotbloom.core.Window;
import io.github.slotbloom.internal.store.catalog.GenerationRows;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.GenerationSet;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.verify.Findings.Place;
import io.github.slotbloom.report.Finding.Kind;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the generations in the catalog are those that follow from the journal, as far back as
 * it goes. Which hashes have to be in which generation depends on it. Not thread-safe.
 */
final class GenerationHistoryCheck {

  private static final String PUT_BACK =
      "Put its row in bloom_generation back, or restore the bloom_ tables from one backup.";

  private final FilterUnderVerification observed;
  private final Findings findings;
  private final GenerationSet set;

  /**
   * A generation by what was read of it.
   *
   * @param wentOn true if it began before that, and went on in a later bucket
   */
  private record Told(GenerationRecord generation, boolean wentOn) {}

  /** In use by what was read, by number. */
  private final Map<Integer, Told> told = new TreeMap<>();

  /** The bucket that takes new keys; null if no entry that was read tells. */
  private @Nullable Bucket bucket;

  private @Nullable GenerationRecord target;
  private long cutover;

  GenerationHistoryCheck(FilterUnderVerification observed, Findings findings) {
    this.findings = findings;
    this.observed = observed;
    this.set = observed.filter().set();
  }

  /** The next entry of the journal. */
  void take(JournalEntry entry) {
    GenerationRecord next = entry.begun();
    switch (entry.kind()) {
      case GROW -> {
        if (next != null) {
          tell(next.in(bucket), false);
        }
      }
      case ROTATE -> rotate(entry);
      case REPLACE -> target = next;
      case ABORT -> target = null;
      case CUTOVER -> {
        told.clear();
        if (target != null) {
          tell(target, false);
        }
        target = null;
        cutover = entry.seq();
      }
      default -> {}
    }
  }

  private void tell(GenerationRecord generation, boolean wentOn) {
    told.put(generation.number(), new Told(generation, wentOn));
  }

  private void rotate(JournalEntry entry) {
    GenerationRecord next = Objects.requireNonNull(entry.begun());
    Bucket begins = entry.bucket();
    Window window = observed.filter().window();
    if (window == null || begins.window() != window.buckets()) {
      findings.damage(
          Kind.PARAMETERS,
          window == null ? "no window_buckets" : "the window_buckets " + window.buckets(),
          begins.window() + ", as entry " + entry.seq() + " says",
          ParameterCheck.PUT_BACK);
    }
    Told known = told.get(next.number());
    if (known != null) {
      tell(known.generation().in(begins), known.wentOn());
    } else {
      tell(next.in(begins), isOlder(next));
    }
    bucket = begins;
    told.values().removeIf(then -> !then.generation().answersIn(begins.number()));
  }

  /** Returns true if an entry names a generation that was there before it. */
  private boolean isOlder(GenerationRecord named) {
    return set.all().stream()
        .anyMatch(
            now ->
                now.number() == named.number()
                    && now.sinceSeq() < named.sinceSeq()
                    && now.sinceToken() != named.sinceToken());
  }

  /**
   * Compares, once all entries were taken.
   *
   * @param oldest number of the first of them; null if there was none
   * @param sound whether none was missing after it, nor damaged
   */
  void finish(@Nullable Long oldest, boolean sound) {
    if (target != null) {
      tell(target, false);
    }
    for (GenerationRecord now : set.all()) {
      Told then = told.remove(now.number());
      if (then != null) {
        requireSame(now, then);
      } else if (sound && oldest != null && now.sinceSeq() >= oldest) {
        damage(
            now,
            "generation " + now.number() + " since entry " + now.sinceSeq(),
            "one that an entry of the journal began");
      }
    }
    if (sound) {
      told.values().stream().map(Told::generation).filter(this::mustBeInUse).forEach(this::missing);
    }
    requireSameCutover(oldest, sound);
    if (!set.isWindow()) {
      requireNoneOutOfUse();
    }
  }

  /** Returns false if its keys may have expired: no entry that was read tells of its bucket. */
  private boolean mustBeInUse(GenerationRecord then) {
    return !set.isWindow() || then.bucket() != null || then.number() > set.read().get(0).number();
  }

  private void requireNoneOutOfUse() {
    observed
        .transactions()
        .attempt(tx -> GenerationRows.outOfUse(tx, observed.filter()))
        .forEach(
            number ->
                findings.damage(
                    Kind.PARAMETERS,
                    "generation " + number + " out of use",
                    "one in use: it was neither replaced nor given up",
                    PUT_BACK));
  }

  private void requireSame(GenerationRecord now, Told told) {
    GenerationRecord then = told.generation();
    String found = told.wentOn() ? ParameterCheck.sizeInWords(now) : ParameterCheck.inWords(now);
    String expected =
        told.wentOn() ? ParameterCheck.sizeInWords(then) : ParameterCheck.inWords(then);
    if (!found.equals(expected)) {
      damage(
          now,
          "generation " + now.number() + " with " + found,
          expected + ", as entry " + then.sinceSeq() + " says");
    } else if (!told.wentOn() && now.sinceToken() != then.sinceToken()) {
      damage(
          now,
          "generation " + now.number() + " with the since_token " + now.sinceToken(),
          then.sinceToken() + ", the token of entry " + then.sinceSeq());
    } else if (then.bucket() != null) {
      requireBucket(now, then.bucket());
    }
  }

  private void requireBucket(GenerationRecord now, Bucket then) {
    Bucket stored = now.bucket();
    if (stored == null || stored.number() != then.number()) {
      damage(
          now,
          "generation %s of the bucket %s"
              .formatted(now.number(), stored == null ? "NULL" : stored.number()),
          "the bucket " + then.number() + ", as the journal says");
    }
  }

  private void missing(GenerationRecord then) {
    findings.damage(
        Kind.PARAMETERS,
        "no generation " + then.number() + " in use",
        "the one that entry " + then.sinceSeq() + " began",
        PUT_BACK);
  }

  private void requireSameCutover(@Nullable Long oldest, boolean sound) {
    GenerationRecord first = set.read().get(0);
    boolean known = cutover > 0 || (sound && oldest != null && first.cutoverSeq() >= oldest);
    if (known && first.cutoverSeq() != cutover) {
      damage(
          first,
          "the cutover_seq " + first.cutoverSeq() + " of generation " + first.number(),
          cutover + ", as the journal says");
    }
  }

  private void damage(GenerationRecord generation, String found, String expected) {
    findings.damage(Kind.PARAMETERS, Place.row(generation.number()), found, expected, PUT_BACK);
  }
}
