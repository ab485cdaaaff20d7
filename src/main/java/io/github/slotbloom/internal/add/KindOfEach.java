package io.github.slotbloom.internal.add;

import io.github.slotbloom.internal.add.PendingWrite.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Sees to it that no batch both adds and removes a key. The order of the calls of such a key
 * decides, and a batch has no order. Costs nothing as long as all of a batch is of one kind. Not
 * thread-safe.
 */
final class KindOfEach {

  private final List<PendingWrite> batch = new ArrayList<>();
  private final Set<Long> added = new HashSet<>();
  private final Set<Long> removed = new HashSet<>();
  private boolean mixed;

  /** Returns false if the batch would both add and remove a key; otherwise takes the part in. */
  boolean admits(PendingWrite part) {
    if (!mixed && !batch.isEmpty() && batch.get(0).kind != part.kind) {
      mixed = true;
      batch.forEach(this::note);
    }
    if (mixed) {
      Set<Long> others = part.kind == Kind.ADD ? removed : added;
      for (long hash : part.hashes) {
        if (others.contains(hash)) {
          return false;
        }
      }
      note(part);
    }
    batch.add(part);
    return true;
  }

  private void note(PendingWrite part) {
    Set<Long> own = part.kind == Kind.ADD ? added : removed;
    for (long hash : part.hashes) {
      own.add(hash);
    }
  }
}
