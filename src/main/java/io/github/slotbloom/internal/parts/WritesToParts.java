package io.github.slotbloom.internal.parts;

import io.github.slotbloom.Offered;
import io.github.slotbloom.RemovableWrites;
import io.github.slotbloom.TransactionalWrites;
import io.github.slotbloom.internal.parts.Parts.Share;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * Writes to several parts in one transaction of the caller. A part that is not in the schema of the
 * connection refuses its keys. Whoever cannot remove keys gets it as one that only adds. Not
 * thread-safe, like the connection.
 */
public final class WritesToParts<K> implements RemovableWrites<K> {

  private final Parts<K> parts;
  private final Connection connection;
  private final Map<Integer, TransactionalWrites<K>> writes = new HashMap<>();

  public WritesToParts(Parts<K> parts, Connection connection) {
    this.parts = parts;
    this.connection = connection;
  }

  @Override
  public boolean[] addEach(List<? extends K> keys) {
    return each(keys, TransactionalWrites::addEach);
  }

  @Override
  public Offered offer(K key, Instant eventTime) {
    return of(parts.numberOf(key)).offer(key, eventTime);
  }

  @Override
  public boolean[] removeEach(List<? extends K> keys) {
    return each(keys, (part, its) -> removable(part).removeEach(its));
  }

  /** Only a set whose parts all let keys be removed shows this as one that can. */
  private static <K> RemovableWrites<K> removable(TransactionalWrites<K> part) {
    return (RemovableWrites<K>) part;
  }

  @Override
  public boolean outgrown() {
    return writes.values().stream().anyMatch(TransactionalWrites::outgrown);
  }

  @Override
  public void committed() {
    writes.values().forEach(TransactionalWrites::committed);
  }

  private TransactionalWrites<K> of(int part) {
    return writes.computeIfAbsent(part, number -> parts.all().get(number).within(connection));
  }

  /** The parts come in the order of their numbers, so that two lists never lock each other out. */
  private boolean[] each(
      List<? extends K> keys, BiFunction<TransactionalWrites<K>, List<K>, boolean[]> call) {
    List<Share<K>> shares = parts.divide(keys);
    List<boolean[]> answers = new ArrayList<>();
    for (Share<K> share : shares) {
      answers.add(call.apply(of(share.part()), share.keys()));
    }
    return Parts.inOrder(keys.size(), shares, answers);
  }
}
