package io.github.slotbloom.internal.add;

import io.github.slotbloom.internal.add.PendingWrite.Kind;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that no batch both adds and removes a key. The order of the calls of such a key
 * decides, and a batch has no order. Costs nothing as long as all of a batch is of one kind. Not
 * thread-safe.
 */
final class KindOfEach {

  /** The hashes of a batch of both kinds; null before there are both. */
  private record Hashes(Set<Long> added, Set<Long> removed) {

    Set<Long> of(Kind kind) {
      return kind == Kind.ADD ? added : removed;
    }

    void take(PendingWrite part) {
      for (long hash : part.hashes) {
        of(part.kind).add(hash);
      }
    }
  }

  private @Nullable Hashes hashes;

  /**
   * Returns false if the batch would both add and remove a key with one more part.
   *
   * @param batch the parts that were admitted before
   */
  boolean admits(List<PendingWrite> batch, PendingWrite part) {
    if (hashes == null) {
      if (batch.isEmpty() || batch.get(0).kind == part.kind) {
        return true;
      }
      hashes = new Hashes(new HashSet<>(), new HashSet<>());
      batch.forEach(hashes::take);
    }
    Set<Long> others = hashes.of(part.kind == Kind.ADD ? Kind.REMOVE : Kind.ADD);
    for (long hash : part.hashes) {
      if (others.contains(hash)) {
        return false;
      }
    }
    hashes.take(part);
    return true;
  }
}
