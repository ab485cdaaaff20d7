package io.github.slotbloom.internal.opened;

import io.github.slotbloom.Offered;
import io.github.slotbloom.RemovableWrites;
import io.github.slotbloom.internal.add.EventTime;
import io.github.slotbloom.internal.add.WritesInCallerTransaction;
import io.github.slotbloom.internal.engine.Tally;
import java.time.Instant;
import java.util.List;

/**
 * Turns keys into hashes, passes the hashes to the engine, and counts the answers. Whoever cannot
 * remove keys gets it as one that only adds.
 */
final class EngineTransactionalWrites<K> implements RemovableWrites<K> {

  private final KeyHashing<K> hashing;
  private final WritesInCallerTransaction adds;
  private final Tally tally;

  /** Adds that were answered "new", and are not counted until the transaction has committed. */
  private int newKeys;

  EngineTransactionalWrites(KeyHashing<K> hashing, WritesInCallerTransaction adds, Tally tally) {
    this.hashing = hashing;
    this.adds = adds;
    this.tally = tally;
  }

  @Override
  public boolean[] addEach(List<? extends K> keys) {
    boolean[] fresh = adds.addEach(hashing.hashes(keys));
    answered(fresh);
    return fresh;
  }

  @Override
  public Offered offer(K key, Instant eventTime) {
    Offered offered = adds.offer(hashing.hash(key), EventTime.of(eventTime));
    if (offered != Offered.EXPIRED) {
      answered(new boolean[] {offered == Offered.NEW});
    }
    return offered;
  }

  private void answered(boolean[] fresh) {
    int yes = Tally.count(fresh);
    newKeys += yes;
    tally.addedInTransaction(0, fresh.length - yes);
  }

  @Override
  public boolean[] removeEach(List<? extends K> keys) {
    return adds.removeEach(hashing.hashes(keys));
  }

  @Override
  public boolean outgrown() {
    return adds.outgrown();
  }

  @Override
  public void committed() {
    tally.addedInTransaction(newKeys, 0);
    newKeys = 0;
  }
}
