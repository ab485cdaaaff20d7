package io.github.slotbloom.internal.transfer;

import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import java.util.Arrays;
import java.util.PrimitiveIterator;
import java.util.function.Function;
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

  /** Returns true if these are the hashes that the filter itself retains. */
  default boolean areRetained() {
    return false;
  }

  /** Begins to read them, from the start each time. The stream has to be closed. */
  LongStream open(FilterDirectory directory, FilterRecord filter) throws Exception;

  /**
   * Begins to read them as {@link #open(FilterDirectory, FilterRecord)} does.
   *
   * @param unreadable says what cannot go on, where reading fails for a reason that is not this
   *     library's; that reason becomes its cause
   */
  default LongStream open(
      FilterDirectory directory,
      FilterRecord filter,
      Function<Exception, SlotBloomException> unreadable) {
    try {
      return open(directory, filter);
    } catch (SlotBloomException e) {
      throw e;
    } catch (Exception e) {
      SlotBloomException failure = unreadable.apply(e);
      failure.initCause(e);
      throw failure;
    }
  }

  /** Returns the hashes that come next, as many as requested or as there are; none at the end. */
  static long[] nextBatch(PrimitiveIterator.OfLong hashes, int most) {
    long[] batch = new long[most];
    int n = 0;
    while (n < batch.length && hashes.hasNext()) {
      batch[n++] = hashes.nextLong();
    }
    return Arrays.copyOf(batch, n);
  }
}
