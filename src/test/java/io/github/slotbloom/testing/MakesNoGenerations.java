package io.github.slotbloom.testing;

import io.github.slotbloom.internal.duty.GenerationMaker;
import io.github.slotbloom.internal.store.filter.FilterRecord;

/** For filters that stay far below their capacity, and in their bucket. */
public final class MakesNoGenerations implements GenerationMaker {

  @Override
  public void prepare(FilterRecord filter, long generationToken, boolean mirrored) {
    throw new IllegalStateException("filter " + filter.name() + " is nearly full");
  }

  @Override
  public void grow(FilterRecord filter, long generationToken, long newKeys, boolean mirrored) {
    throw new IllegalStateException("filter " + filter.name() + " is full");
  }

  @Override
  public void rotate(FilterRecord filter) {}

  @Override
  public long prepareBucket(FilterRecord filter) {
    return filter.head().manifestToken();
  }
}
