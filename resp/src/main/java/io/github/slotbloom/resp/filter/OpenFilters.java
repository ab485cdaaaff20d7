package io.github.slotbloom.resp.filter;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.FilterStatus;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterExistsException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.MirrorTooLargeException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Opens each filter once, when a command first names it. Thread-safe; callers may wait. */
final class OpenFilters implements AutoCloseable {

  private static final int LOCKS = 64;

  /** A filter that nobody uses for so long is closed. */
  private static final long IDLE_NANOS = Duration.ofMinutes(10).toNanos();

  private final Supplier<SlotBloom> bloom;
  private final FilterOptions options;
  private final LongSupplier nanoTime;
  private final Map<String, OpenFilter> open = new ConcurrentHashMap<>();

  /** One of them is held while a filter is opened, so that it gets one mirror. */
  private final ReentrantLock[] locks =
      Stream.generate(ReentrantLock::new).limit(LOCKS).toArray(ReentrantLock[]::new);

  OpenFilters(Supplier<SlotBloom> bloom, FilterOptions options, LongSupplier nanoTime) {
    this.bloom = bloom;
    this.options = options;
    this.nanoTime = nanoTime;
  }

  /** Returns a filter; null if there is none of that name. */
  @Nullable OpenFilter find(String name) {
    OpenFilter known = open.get(name);
    if (known != null) {
      return known.used(nanoTime.getAsLong());
    }
    ReentrantLock lock = locks[Math.floorMod(name.hashCode(), LOCKS)];
    lock.lock();
    try {
      OpenFilter opened = open.get(name);
      if (opened != null) {
        return opened.used(nanoTime.getAsLong());
      }
      Optional<FilterStatus> status = bloom.get().status(name);
      return status.isEmpty() ? null : open(status.get());
    } finally {
      lock.unlock();
    }
  }

  /** Makes a filter, unless somebody else does at this moment, and returns it. */
  OpenFilter make(String name, FilterSpec<byte[]> spec) {
    FilterExistsException exists = null;
    try {
      bloom.get().reserve(name, spec, options.withoutMirror()).close();
    } catch (FilterExistsException e) {
      // Somebody was faster, or the last filter of that name is being dropped.
      exists = e;
    }
    OpenFilter made = find(name);
    if (made == null) {
      throw new FilterUnavailableException(
          "Filter " + name + " is being dropped. Try again when that has finished.", exists);
    }
    return made;
  }

  private OpenFilter open(FilterStatus status) {
    KeyType<byte[]> keyType = keyType(status);
    BloomFilter<byte[]> filter;
    try {
      filter = bloom.get().open(status.name(), keyType, options);
    } catch (MirrorTooLargeException e) {
      filter = bloom.get().open(status.name(), keyType, options.withoutMirror());
    }
    OpenFilter opened = new OpenFilter(filter, status).used(nanoTime.getAsLong());
    open.put(status.name(), opened);
    return opened;
  }

  private static KeyType<byte[]> keyType(FilterStatus status) {
    return switch (status.keyType()) {
      case "text" -> KeyType.textBytes();
      case "bytes" -> KeyType.bytes();
      default ->
          throw new InvalidParameterException(
              ("Filter %s has keys of the type %s, but Redis clients can use only the types"
                      + " text and bytes.")
                  .formatted(status.name(), status.keyType()));
    };
  }

  /** Closes a filter that is not there anymore, or not under this name. */
  void forget(String name) {
    OpenFilter gone = open.remove(name);
    if (gone != null) {
      gone.filter().close();
    }
  }

  /** Does the same, unless another one has been opened by that name meanwhile. */
  void forget(OpenFilter gone) {
    if (open.remove(gone.status().name(), gone)) {
      gone.filter().close();
    }
  }

  /** Closes those that nobody used for long. */
  void closeIdle() {
    long now = nanoTime.getAsLong();
    for (OpenFilter each : open.values()) {
      if (each.idleNanos(now) >= IDLE_NANOS) {
        forget(each);
      }
    }
  }

  int size() {
    return open.size();
  }

  @Override
  public void close() {
    open.keySet().forEach(this::forget);
  }
}
