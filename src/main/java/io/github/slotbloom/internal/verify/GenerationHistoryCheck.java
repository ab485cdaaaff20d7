package io.github.slotbloom.internal.verify;

import io.github.slotbloom.core.Window;
import io.github.slotbloom.internal.store.catalog.Bucket;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.internal.store.catalog.GenerationRows;
import io.github.slotbloom.internal.store.catalog.GenerationSet;
import io.github.slotbloom.internal.store.journal.JournalEntry;
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

  /** In use by what was read, by number. */
  private final Map<Integer, GenerationRecord> begun = new TreeMap<>();

  /** Begun before what was read, and gone on in a later bucket, by number. */
  private final Map<Integer, JournalEntry> wentOn = new TreeMap<>();

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
          begun.put(next.number(), next.in(bucket));
        }
      }
      case ROTATE -> rotate(entry);
      case RENEW -> requireRenewing(entry);
      case REPLACE -> target = next;
      case ABORT -> target = null;
      case CUTOVER -> {
        begun.clear();
        if (target != null) {
          begun.put(target.number(), target);
        }
        target = null;
        cutover = entry.seq();
      }
      default -> {}
    }
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
    GenerationRecord known = begun.get(next.number());
    if (known != null) {
      begun.put(next.number(), known.in(begins));
    } else if (isOlder(next)) {
      wentOn.put(next.number(), entry);
    } else {
      begun.put(next.number(), next);
    }
    bucket = begins;
    begun.values().removeIf(generation -> !generation.answersIn(begins.number()));
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

  private void requireRenewing(JournalEntry entry) {
    if (!observed.filter().renews()) {
      findings.damage(
          Kind.PARAMETERS,
          "a filter whose keys are not renewed",
          "one whose keys are: entry " + entry.seq() + " renewed some",
          ParameterCheck.PUT_BACK);
    }
  }

  /**
   * Compares, once all entries were taken.
   *
   * @param oldest number of the first of them; null if there was none
   * @param sound whether none was missing after it, nor damaged
   */
  void finish(@Nullable Long oldest, boolean sound) {
    if (target != null) {
      begun.put(target.number(), target);
    }
    for (GenerationRecord now : set.all()) {
      GenerationRecord then = begun.remove(now.number());
      JournalEntry later = wentOn.get(now.number());
      if (then != null) {
        requireSame(now, then);
      } else if (later != null) {
        requireSame(now, later);
      } else if (sound && oldest != null && now.sinceSeq() >= oldest) {
        damage(
            now,
            "generation " + now.number() + " since entry " + now.sinceSeq(),
            "one that an entry of the journal began");
      }
    }
    if (sound) {
      begun.values().stream().filter(this::mustBeInUse).forEach(this::missing);
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

  private void requireSame(GenerationRecord now, GenerationRecord then) {
    String found = ParameterCheck.inWords(now);
    String expected = ParameterCheck.inWords(then);
    if (!found.equals(expected)) {
      damage(
          now,
          "generation " + now.number() + " with " + found,
          expected + ", as entry " + then.sinceSeq() + " says");
    } else if (now.sinceToken() != then.sinceToken()) {
      damage(
          now,
          "generation " + now.number() + " with the since_token " + now.sinceToken(),
          then.sinceToken() + ", the token of entry " + then.sinceSeq());
    } else if (then.bucket() != null) {
      requireBucket(now, then.bucket());
    }
  }

  /** Compares a generation with an entry that let it go on in a later bucket. */
  private void requireSame(GenerationRecord now, JournalEntry later) {
    GenerationRecord named = Objects.requireNonNull(later.begun());
    String expected = ParameterCheck.sizeInWords(named);
    if (!ParameterCheck.sizeInWords(now).equals(expected)) {
      damage(
          now,
          "generation " + now.number() + " with " + ParameterCheck.sizeInWords(now),
          expected + ", as entry " + later.seq() + " says");
    } else {
      requireBucket(now, later.bucket());
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
