package io.github.slotbloom.internal.opened;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.RemovableFilter;
import io.github.slotbloom.RemovableWrites;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.background.Callbacks;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** An open filter that was reserved so that its keys can be removed. */
public final class EngineRemovableFilter<K> extends EngineBloomFilter<K>
    implements RemovableFilter<K> {

  EngineRemovableFilter(
      FilterRecord filter,
      KeyType<K> keyType,
      FilterOptions options,
      FilterEngines engines,
      FilterDirectory directory,
      Callbacks callbacks,
      Closed onClose) {
    super(filter, keyType, options, engines, directory, callbacks, onClose);
  }

  /** Opens a filter, as one of this kind if it was reserved so that keys can be removed. */
  public static <K> EngineBloomFilter<K> openAny(
      FilterRecord filter,
      KeyType<K> keyType,
      FilterOptions options,
      FilterEngines engines,
      FilterDirectory directory,
      Callbacks callbacks,
      Closed onClose) {
    return filter.removable()
        ? new EngineRemovableFilter<>(
            filter, keyType, options, engines, directory, callbacks, onClose)
        : new EngineBloomFilter<>(filter, keyType, options, engines, directory, callbacks, onClose);
  }

  @Override
  public boolean remove(K key) {
    return engine().writes().removeEach(new long[] {hashing().hash(key)})[0];
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
