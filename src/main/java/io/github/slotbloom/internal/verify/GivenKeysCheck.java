package io.github.slotbloom.internal.verify;

import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.InvalidKeyException;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.context.Waiting;
import io.github.slotbloom.internal.membership.DirectKeys;
import io.github.slotbloom.internal.membership.Membership;
import io.github.slotbloom.internal.store.catalog.ExpiryRows;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.time.Deadline;
import io.github.slotbloom.internal.transfer.HashSource;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding.Kind;
import java.util.PrimitiveIterator;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;

/**
 * Checks that the given keys are members. Keys that are not in the slots, and all where keys can be
 * removed, are asked for in the usual way, with the journal. Not thread-safe.
 */
final class GivenKeysCheck {

  private static final int BATCH = 1 << 14;

  private static final String ADD_AGAIN =
      "Add it again, which counts it as new, or restore the bloom_ tables from one backup.";

  private final FilterDirectory directory;
  private final FilterUnderVerification observed;
  private final Findings findings;
  private final FilterRecord filter;
  private final HashSource given;
  private final StoredBits stored;
  private final DirectKeys tables;
  private final boolean mayHaveExpired;
  private long keys;
  private long undecided;

  GivenKeysCheck(
      FilterDirectory directory,
      DirectKeys tables,
      FilterUnderVerification observed,
      HashSource given,
      StoredBits stored,
      Findings findings) {
    this.findings = findings;
    this.directory = directory;
    this.observed = observed;
    filter = observed.filter();
    this.given = given;
    this.tables = tables;
    this.stored = stored;
    mayHaveExpired = mayHaveExpired();
  }

  /** Returns true if a bucket of the filter expired: in the catalog, or by the clock. */
  private boolean mayHaveExpired() {
    Window window = filter.window();
    GenerationRecord oldest = filter.generations().get(0);
    return window != null
        && (oldest.sinceSeq() > 0
            || !oldest.answersIn(window.bucketAt(observed.ask(ExpiryRows::nowMicros))));
  }

  /**
   * @param progress hears how many keys are looked up
   */
  void run(LongConsumer progress) {
    try (LongStream hashes = open()) {
      PrimitiveIterator.OfLong all = hashes.iterator();
      long[] batch = HashSource.nextBatch(all, BATCH);
      while (batch.length > 0) {
        look(batch);
        keys += batch.length;
        progress.accept(keys);
        batch = HashSource.nextBatch(all, BATCH);
      }
    }
    if (undecided > 0) {
      findings.unchecked(
          Check.GIVEN_KEYS,
          undecided + " keys may be in the part of the journal that is damaged, or removed by it.");
    }
    findings.checked(Check.GIVEN_KEYS, keys, "keys");
  }

  private LongStream open() {
    return given.open(
        directory,
        filter,
        e ->
            new InvalidKeyException(
                ("The keys to verify filter %s with, %s, could not be read: %s. Fix that, then"
                        + " verify again.")
                    .formatted(filter.name(), given.description(), e)));
  }

  private void look(long[] hashes) {
    boolean[] members = new boolean[hashes.length];
    for (int place = 0; place < filter.generations().size(); place++) {
      stored.probe(place).markMembers(hashes, 0, hashes.length, stored.of(place, hashes), members);
    }
    HashBatch doubtful = new HashBatch(BATCH);
    for (int i = 0; i < hashes.length; i++) {
      if (!members[i] || filter.removable()) {
        doubtful.add(hashes[i], keys + i + 1);
      }
    }
    if (doubtful.size() > 0) {
      ask(doubtful);
    }
  }

  private void ask(HashBatch doubtful) {
    long[] hashes = doubtful.hashes();
    Membership found;
    try {
      found = tables.lookUp(hashes, Deadline.in(directory.time(), Waiting.STEP_TIMEOUT));
    } catch (CorruptFilterException e) {
      undecided += hashes.length;
      return;
    }
    for (int i = 0; i < hashes.length; i++) {
      String key =
          "key %s of %s, of the hash %s,"
              .formatted(doubtful.seq(i), given.description(), SlotTableCheck.hex(hashes[i]));
      if (found.isRemoved(i)) {
        findings.remark(
            Kind.KEY_REMOVED,
            key + " was removed",
            "a member, unless the list is older than that",
            "If it should be a member, add it again.");
      } else if (!found.present()[i] && mayHaveExpired) {
        findings.remark(
            Kind.KEY_MISSING,
            key + " is not in the filter, whose keys expire",
            "a member, unless it was added in a bucket that expired",
            "If it was added within the window, add it again.");
      } else if (!found.present()[i]) {
        findings.damage(Kind.KEY_MISSING, key + " is not in the filter", "a member", ADD_AGAIN);
      }
    }
  }
}
