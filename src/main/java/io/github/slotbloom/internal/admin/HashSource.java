package io.github.slotbloom.internal.admin;

import io.github.slotbloom.internal.store.catalog.FilterRecord;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/**
 * The hashes of all keys of a filter, from outside its slots.
 *
 * @param description says where they come from
 * @param requireFits refuses a filter that these are not the keys of: throws {@link
 *     io.github.slotbloom.error.FilterMismatchException} if its keys are of another type, {@link
 *     io.github.slotbloom.error.InvalidParameterException} if it does not retain the hashes that
 *     are asked for
 * @param opener begins to read them, each time anew
 */
public record HashSource(String description, Consumer<FilterRecord> requireFits, Opener opener) {

  /** Begins to read the hashes of all keys. */
  @FunctionalInterface
  public interface Opener {
    /** The stream has to be closed. */
    LongStream open(FilterDirectory directory, FilterRecord filter) throws Exception;
  }
}
