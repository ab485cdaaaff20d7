package io.github.slotbloom.internal.engine;

import io.github.slotbloom.Offered;
import io.github.slotbloom.TransactionalWrites;
import io.github.slotbloom.internal.add.EventTime;
import io.github.slotbloom.internal.add.WritesInCallerTransaction;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/** Turns keys into hashes, and passes the hashes to the engine. */
final class EngineTransactionalWrites<K> implements TransactionalWrites<K> {

  private final KeyHashing<K> hashing;
  private final WritesInCallerTransaction adds;

  EngineTransactionalWrites(KeyHashing<K> hashing, WritesInCallerTransaction adds) {
    this.hashing = hashing;
    this.adds = adds;
  }

  @Override
  public boolean add(K key) {
    return adds.addEach(new long[] {hashing.hash(key)})[0];
  }

  @Override
  public boolean[] addEach(List<? extends K> keys) {
    return adds.addEach(hashing.hashes(keys));
  }

  @Override
  public List<K> filterNew(Collection<? extends K> keys) {
    return hashing.filterNew(keys, adds::addEach);
  }

  @Override
  public Offered offer(K key, Instant eventTime) {
    return adds.offer(hashing.hash(key), EventTime.of(eventTime));
  }

  @Override
  public boolean remove(K key) {
    return adds.removeEach(new long[] {hashing.hash(key)})[0];
  }

  @Override
  public boolean[] removeEach(List<? extends K> keys) {
    return adds.removeEach(hashing.hashes(keys));
  }

  @Override
  public boolean outgrown() {
    return adds.outgrown();
  }
}
