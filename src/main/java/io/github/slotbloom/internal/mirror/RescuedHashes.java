package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.BlockList;
import io.github.slotbloom.internal.store.journal.Rescued;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The hashes that block lists leave out, and until when. There are few. Thread-safe. */
final class RescuedHashes {

  private final Map<Long, Long> untilMicros = new ConcurrentHashMap<>();

  void take(Rescued change) {
    for (long hash : change.hashes()) {
      put(hash, change.untilMicros());
    }
  }

  /** Takes in until when a hash is rescued, by the clock of the database. */
  void put(long hash, long until) {
    if (until == Rescued.ENDED) {
      untilMicros.remove(hash);
    } else {
      untilMicros.put(hash, until);
    }
  }

  boolean contains(long hash, long nowMicros) {
    Long until = untilMicros.get(hash);
    return until != null && until > nowMicros;
  }

  /**
   * Forgets hashes whose rescue is over, once there are more than can be rescued at a time. Fewer
   * stay: after a failover the clock may be behind what it was, and their rows would count again.
   */
  void forgetEnded(long nowMicros) {
    if (untilMicros.size() > BlockList.MAX_RESCUED) {
      untilMicros.values().removeIf(until -> until <= nowMicros);
    }
  }

  int size() {
    return untilMicros.size();
  }
}
