package io.github.slotbloom.internal.opened;

import io.github.slotbloom.BlockList;
import io.github.slotbloom.Rescue;
import io.github.slotbloom.internal.admin.Rescuing;
import io.github.slotbloom.internal.engine.FilterEngine;
import io.github.slotbloom.report.RescuedKey;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/** Turns keys into hashes, and passes the hashes to the engine and to what changes the database. */
final class EngineBlockList<K> implements BlockList<K> {

  private final KeyHashing<K> hashing;
  private final Supplier<FilterEngine> engine;
  private final Rescuing rescuing;

  EngineBlockList(KeyHashing<K> hashing, Supplier<FilterEngine> engine, Rescuing rescuing) {
    this.hashing = hashing;
    this.engine = engine;
    this.rescuing = rescuing;
  }

  @Override
  public boolean isBlocked(K key) {
    return engine.get().lookups().isBlocked(hashing.hash(key));
  }

  @Override
  public boolean[] isBlockedEach(List<? extends K> keys) {
    return engine.get().lookups().isBlockedEach(hashing.hashes(keys));
  }

  @Override
  public boolean[] rescueEach(List<? extends K> keys, Rescue rescue) {
    long[] hashes = hashing.hashes(keys);
    Objects.requireNonNull(rescue, "rescue");
    engine.get().requireOpen();
    return rescuing.rescue(hashes, rescue);
  }

  @Override
  public boolean[] endRescueEach(List<? extends K> keys) {
    long[] hashes = hashing.hashes(keys);
    engine.get().requireOpen();
    return rescuing.end(hashes);
  }

  @Override
  public List<RescuedKey> rescued() {
    engine.get().requireOpen();
    return rescuing.rescued();
  }
}
