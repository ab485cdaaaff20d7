package io.github.slotbloom.internal.replace;

import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.transfer.HashSource;
import io.github.slotbloom.internal.transfer.HeldHashScan;
import java.util.stream.LongStream;

/**
 * The hashes of all keys that were added to a filter before the generation that is being filled
 * began. Nothing moves from the journal to the blocks meanwhile, so they come in the same order
 * each time. Some come twice.
 */
public final class RetainedHashes implements HashSource {

  @Override
  public String description() {
    return "the journal";
  }

  @Override
  public void requireFits(FilterRecord filter) {
    if (!filter.retainHashes()) {
      throw new InvalidParameterException(
          ("Filter %s was created without retained hashes, so its journal does not have all keys:"
                  + " trimmed keys are gone, and keys that were false positives were never recorded."
                  + " Use another source that has all keys.")
              .formatted(filter.name()));
    }
  }

  @Override
  public boolean areRetained() {
    return true;
  }

  @Override
  public LongStream open(FilterDirectory directory, FilterRecord filter) {
    GenerationRecord target = filter.manifest().target();
    if (target == null) {
      throw new ReplacementException("Filter " + filter.name() + " is not being replaced.");
    }
    // A process that moves hashes now began before the generation; this lock waits until it is
    // done.
    directory.askPatiently(tx -> FoldRows.lock(tx, filter.id()));
    return new HeldHashScan(directory, filter, target.sinceSeq()).stream();
  }
}
