package io.github.slotbloom.internal.opened;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.RemovableFilter;
import io.github.slotbloom.RemovableWrites;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** An open filter that was created so that its keys can be removed. */
public final class EngineRemovableFilter<K> extends EngineBloomFilter<K>
    implements RemovableFilter<K> {

  private EngineRemovableFilter(
      FilterRecord filter, KeyType<K> keyType, FilterOptions options, Environment environment) {
    super(filter, keyType, options, environment);
  }

  /** Opens a filter, as one of this kind if it was created so that keys can be removed. */
  public static <K> EngineBloomFilter<K> openAny(
      FilterRecord filter, KeyType<K> keyType, FilterOptions options, Environment environment) {
    return filter.removable()
        ? new EngineRemovableFilter<>(filter, keyType, options, environment)
        : new EngineBloomFilter<>(filter, keyType, options, environment);
  }

  @Override
  public boolean[] removeEach(List<? extends K> keys) {
    return engine().writes().removeEach(hashing().hashes(keys));
  }

  @Override
  public CompletableFuture<Boolean> removeAsync(K key) {
    return forCallers(engine().writes().removeAsync(hashing().hash(key)));
  }

  @Override
  public RemovableWrites<K> within(Connection transaction) {
    return writesWithin(transaction);
  }
}
