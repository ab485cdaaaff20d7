package io.github.slotbloom.internal.admin;

import io.github.slotbloom.internal.store.catalog.FilterRecord;
import java.util.Arrays;
import java.util.PrimitiveIterator;
import java.util.stream.LongStream;

/** The hashes of all keys of a filter, from outside its slots. */
public interface HashSource {

  /** Says where they come from. */
  String description();

  /**
   * Refuses a filter that these are not the keys of.
   *
   * @throws io.github.slotbloom.error.FilterMismatchException if its keys are of another type
   * @throws io.github.slotbloom.error.InvalidParameterException if it does not retain the hashes
   *     that are asked for
   */
  void requireFits(FilterRecord filter);

  /** Begins to read them, each time anew. The stream has to be closed. */
  LongStream open(FilterDirectory directory, FilterRecord filter) throws Exception;

  /** Returns the hashes that come next, as many as asked for or as there are; none at the end. */
  static long[] nextBatch(PrimitiveIterator.OfLong hashes, int most) {
    long[] batch = new long[most];
    int n = 0;
    while (n < batch.length && hashes.hasNext()) {
      batch[n++] = hashes.nextLong();
    }
    return Arrays.copyOf(batch, n);
  }
}
