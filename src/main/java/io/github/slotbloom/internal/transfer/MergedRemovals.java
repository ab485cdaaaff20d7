package io.github.slotbloom.internal.transfer;

import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.error.RemovedKeysFullException;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.RemovalRecord;
import java.util.Objects;

/**
 * The removed keys of two filters that are merged. A key is a member of the union if it is one of
 * either filter, so it stays removed only if both lack it.
 *
 * @param ofSource the removed hashes of the filter that is read, ascending
 * @param returning hashes that are removed in the filter that takes keys, and members of the other
 * @param removing hashes that are removed in the filter that is read, and that the other one has
 *     never had: they come with its bits
 */
@SuppressWarnings("ArrayRecordComponent") // the arrays are passed on at once, and never compared
record MergedRemovals(long[] ofSource, long[] returning, long[] removing) {

  /**
   * Reads them.
   *
   * @throws FilterMismatchException if the filter that takes keys cannot keep any removed
   */
  static MergedRemovals read(FilterScan from, FilterScan into, FilterEngines engines) {
    long[] ofSource = from.removed();
    if (ofSource.length > 0 && !into.filter().removable()) {
      throw new FilterMismatchException(
          ("Keys were removed from filter %1$s, and filter %2$s was not created as removable, so"
                  + " they would come back there. Merge into a filter that was"
                  + " (FilterSpec.Builder.buildRemovable(), or slotbloom reserve --removable), or rebuild filter"
                  + " %1$s (slotbloom grow %1$s --from ...), which drops the removed keys.")
              .formatted(from.filter().name(), into.filter().name()));
    }
    long[] ofTaker = into.removed();
    long[] held =
        RemovedElsewhere.ask(from.directory(), engines.tables(from.filter()), ofTaker, ofSource)
            .members();
    return new MergedRemovals(
        ofSource,
        held,
        RemovedElsewhere.ask(from.directory(), engines.tables(into.filter()), ofSource, ofTaker)
            .lacking());
  }

  /**
   * Refuses a merge after which more keys would be removed than may be.
   *
   * @param head of the filter that takes keys
   */
  void requireRoom(FilterRecord into, FilterHead head) {
    if (removing.length <= returning.length) {
      return;
    }
    RemovalRecord removal = Objects.requireNonNull(into.removal());
    // A filter that is being rebuilt takes in no other one.
    long most = into.retainHashes() ? removal.mostAtRest(head.capacity()) : removal.most(head);
    long after = head.keysRemoved() + removing.length - returning.length;
    if (after > most) {
      throw RemovedKeysFullException.ofMerge(
          into.name().toString(), after, most, into.retainHashes());
    }
  }
}
