package io.github.slotbloom.internal.add;

import io.github.slotbloom.internal.add.PendingWrite.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that no batch both adds and removes a key. The order of the calls of such a key
 * decides, and a batch has no order. Costs nothing as long as all of a batch is of one kind. Not
 * thread-safe.
 */
final class KindOfEach {

  /** The kinds of a batch of both; null before there are both. */
  private @Nullable Map<Long, Kind> kinds;

  /**
   * Returns false if the batch would both add and remove a key with one more part.
   *
   * @param batch the parts that were admitted before
   */
  boolean admits(List<PendingWrite> batch, PendingWrite part) {
    if (kinds == null) {
      if (batch.isEmpty() || batch.get(0).kind == part.kind) {
        return true;
      }
      kinds = new HashMap<>();
      for (PendingWrite admitted : batch) {
        take(kinds, admitted);
      }
    }
    for (long hash : part.hashes) {
      if (kinds.getOrDefault(hash, part.kind) != part.kind) {
        return false;
      }
    }
    take(kinds, part);
    return true;
  }

  private static void take(Map<Long, Kind> kinds, PendingWrite part) {
    for (long hash : part.hashes) {
      kinds.put(hash, part.kind);
    }
  }
}
