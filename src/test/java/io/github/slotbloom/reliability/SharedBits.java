package io.github.slotbloom.reliability;

import io.github.slotbloom.internal.bits.Probe;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The bits that the keys of a generation set, and those of them that several keys set. */
final class SharedBits {

  private final Probe probe;
  private final Set<Long> hashes;
  private final Map<Long, Long> set = new HashMap<>();
  private final Map<Long, Long> shared = new HashMap<>();

  SharedBits(Probe probe, Set<Long> hashes) {
    this.probe = probe;
    this.hashes = hashes;
    for (long hash : hashes) {
      // Two bits of one key may be the same.
      Map<Long, Long> own = new HashMap<>();
      probe.forEachMask(hash, (slot, mask) -> own.merge(slot, mask, (a, b) -> a | b));
      own.forEach(this::set);
    }
  }

  private void set(long slot, long mask) {
    long before = set.getOrDefault(slot, 0L);
    set.put(slot, before | mask);
    shared.merge(slot, before & mask, (a, b) -> a | b);
  }

  /** Whether all bits of a hash are set even if its key never was there. */
  boolean coverWithout(long hash) {
    Map<Long, Long> byOthers = hashes.contains(hash) ? shared : set;
    return probe.isMember(hash, slot -> byOthers.getOrDefault(slot, 0L));
  }
}
