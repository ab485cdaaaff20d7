package io.github.slotbloom.spark;

import io.github.slotbloom.error.SlotBloomException;

/**
 * Thrown by a task of {@link SparkFilters#filterNew} that finds other keys than an earlier attempt
 * had at the same place, so that nobody can tell which keys were already reported as new. The input
 * was not deterministic, or the id of the run was used for other data.
 */
public final class ChangedInputException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  ChangedInputException(String filter, FilterRun run, Chunk chunk) {
    super(
        ("Run %s over filter %s: the keys of partition %s from number %s on differ from those whose"
                + " answers were recorded. Write the input to a checkpoint or to files first, so that"
                + " each attempt reads the same keys in the same order, or use a new run id for new"
                + " data.")
            .formatted(
                run.id(),
                filter,
                chunk.partition(),
                (long) chunk.number() * run.keysPerTransaction()));
  }
}
