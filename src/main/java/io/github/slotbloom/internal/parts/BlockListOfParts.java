package io.github.slotbloom.internal.parts;

import io.github.slotbloom.BlockList;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.Rescue;
import io.github.slotbloom.report.RescuedKey;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiFunction;

/** The block lists of several parts as one. */
public final class BlockListOfParts<K> implements BlockList<K> {

  private final Parts<K> parts;

  public BlockListOfParts(Parts<K> parts) {
    this.parts = parts;
  }

  @Override
  public boolean isBlocked(K key) {
    return parts.all().get(parts.numberOf(key)).blockList().isBlocked(key);
  }

  @Override
  public boolean[] isBlockedEach(List<? extends K> keys) {
    return parts.askEach(keys, on(BlockList::isBlockedEach));
  }

  @Override
  public boolean[] rescueEach(List<? extends K> keys, Rescue rescue) {
    return parts.askEach(keys, on((part, its) -> part.rescueEach(its, rescue)));
  }

  @Override
  public boolean[] endRescueEach(List<? extends K> keys) {
    return parts.askEach(keys, on(BlockList::endRescueEach));
  }

  @Override
  public List<RescuedKey> rescued() {
    return parts.each(part -> part.blockList().rescued()).stream()
        .flatMap(List::stream)
        .sorted(Comparator.comparing(RescuedKey::rescuedAt))
        .toList();
  }

  private BiFunction<BloomFilter<K>, List<K>, boolean[]> on(
      BiFunction<BlockList<K>, List<K>, boolean[]> call) {
    return (part, keys) -> call.apply(part.blockList(), keys);
  }
}
