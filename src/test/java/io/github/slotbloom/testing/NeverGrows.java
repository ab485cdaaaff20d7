package io.github.slotbloom.testing;

import io.github.slotbloom.internal.duty.Grower;
import io.github.slotbloom.internal.store.filter.FilterRecord;

/** A grower for filters that stay far below their capacity. */
public final class NeverGrows implements Grower {

  @Override
  public void prepare(FilterRecord filter, long generationToken, boolean mirrored) {
    throw new IllegalStateException("filter " + filter.name() + " is nearly full");
  }

  @Override
  public void grow(FilterRecord filter, long generationToken, long newKeys, boolean mirrored) {
    throw new IllegalStateException("filter " + filter.name() + " is full");
  }
}
