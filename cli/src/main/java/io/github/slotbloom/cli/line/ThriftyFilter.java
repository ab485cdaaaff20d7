package io.github.slotbloom.cli.line;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import java.util.function.Function;

/**
 * A filter that reads only the needed slots as long as few keys have come, because that is faster
 * than loading all slots. After that, it is held in memory.
 */
public final class ThriftyFilter<K> implements AutoCloseable {

  private static final int FEW_KEYS = 10_000;

  private final Function<FilterOptions, BloomFilter<K>> opener;
  private final FilterOptions options;
  private BloomFilter<K> filter;
  private boolean mirrored;
  private long keys;

  public ThriftyFilter(FilterOptions options, Function<FilterOptions, BloomFilter<K>> opener) {
    this.options = options;
    this.opener = opener;
    filter = opener.apply(options.withoutMirror());
  }

  /** Returns the filter to ask about a further number of keys. */
  public BloomFilter<K> forMore(int more) {
    keys += more;
    if (!mirrored && keys > FEW_KEYS) {
      filter.close();
      filter = opener.apply(options);
      mirrored = true;
    }
    return filter;
  }

  @Override
  public void close() {
    filter.close();
  }
}
