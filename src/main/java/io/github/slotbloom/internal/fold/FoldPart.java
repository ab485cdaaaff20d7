package io.github.slotbloom.internal.fold;

/**
 * What one transaction writes of a {@link FoldShare}.
 *
 * @param slots ascending, at least one
 * @param end the slot that the next part begins at
 * @param last whether there is none
 * @param fills whether it begins a table, a row for each slot
 */
@SuppressWarnings("ArrayRecordComponent") // handed on at once, never compared
record FoldPart(long[] slots, long end, boolean last, boolean fills) {}
