package io.github.slotbloom.internal.transfer;

import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.context.Waiting;
import io.github.slotbloom.internal.membership.DirectKeys;
import io.github.slotbloom.internal.time.Deadline;
import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * What a filter says of the keys that another one removed.
 *
 * @param members hashes that it holds, ascending
 * @param lacking hashes that it neither holds nor removed, ascending
 * @param removed how many hashes it removed as well
 */
@SuppressWarnings("ArrayRecordComponent") // the arrays are passed on at once, and never compared
record RemovedElsewhere(long[] members, long[] lacking, long removed) {

  private static final int KEYS_PER_LOOK_UP = 1024;

  /**
   * Asks a filter for hashes that another one removed.
   *
   * @param keys looks up keys in the tables of the filter
   * @param hashes ascending
   * @param removedHere the removed hashes of the filter that is asked, ascending
   */
  static RemovedElsewhere ask(
      FilterDirectory directory, DirectKeys keys, long[] hashes, long[] removedHere) {
    LongStream.Builder members = LongStream.builder();
    LongStream.Builder lacking = LongStream.builder();
    long removed = 0;
    for (int from = 0; from < hashes.length; from += KEYS_PER_LOOK_UP) {
      long[] some =
          Arrays.copyOfRange(hashes, from, Math.min(hashes.length, from + KEYS_PER_LOOK_UP));
      boolean[] held =
          directory.patiently(
              () -> keys.ask(some, () -> Deadline.in(directory.time(), Waiting.STEP_TIMEOUT)));
      for (int i = 0; i < some.length; i++) {
        if (held[i]) {
          members.add(some[i]);
        } else if (Arrays.binarySearch(removedHere, some[i]) >= 0) {
          removed++;
        } else {
          lacking.add(some[i]);
        }
      }
    }
    return new RemovedElsewhere(members.build().toArray(), lacking.build().toArray(), removed);
  }
}
