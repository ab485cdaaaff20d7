package io.github.slotbloom.internal.fold;

/**
 * The rows of a {@link FoldShare} that one transaction writes.
 *
 * @param slots ascending, at least one
 * @param end the slot that the next part begins at
 * @param last true if there is no next part
 * @param fills true if the part begins a table, with a row for each slot
 */
@SuppressWarnings("ArrayRecordComponent") // the array is passed on at once, and never compared
record FoldPart(long[] slots, long end, boolean last, boolean fills) {}
