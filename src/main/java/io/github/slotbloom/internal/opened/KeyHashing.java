package io.github.slotbloom.internal.opened;

import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyHash;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.UnsupportedVersionException;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/** Turns the keys of one filter into hashes, and answers back into keys. Thread-safe. */
public final class KeyHashing<K> {

  private final KeyType<K> keyType;
  private final KeyHash hash;

  public KeyHashing(FilterRecord filter, KeyType<K> keyType) {
    this.keyType = keyType;
    this.hash = function(filter);
  }

  private static KeyHash function(FilterRecord filter) {
    try {
      return algorithm(filter).create(filter.seed().value());
    } catch (InvalidParameterException e) {
      throw new CorruptFilterException(
          "Filter "
              + filter.name()
              + " has a seed in bloom_filter that Slotbloom never stores: "
              + e.getMessage());
    }
  }

  private static HashAlgorithm algorithm(FilterRecord filter) {
    try {
      return HashAlgorithm.byId(filter.hash());
    } catch (UnsupportedVersionException e) {
      throw new UnsupportedVersionException(
          "Filter " + filter.name() + " cannot be opened: " + e.getMessage());
    }
  }

  public long hash(K key) {
    return keyType.hash(key, hash);
  }

  long[] hashes(Collection<? extends K> keys) {
    Objects.requireNonNull(keys, "keys");
    long[] hashes = new long[keys.size()];
    int n = 0;
    for (K key : keys) {
      hashes[n++] = hash(key);
    }
    return hashes;
  }

  /**
   * Adds keys, and returns those that were new, in their order.
   *
   * @param addEach tells of each key whether it was new
   */
  public static <K> List<K> filterNew(
      Collection<? extends K> keys, Function<List<K>, boolean[]> addEach) {
    // Not List.copyOf, which says nothing about a null in it.
    List<K> asked = new ArrayList<>(Objects.requireNonNull(keys, "keys"));
    boolean[] fresh = addEach.apply(asked);
    List<K> kept = new ArrayList<>();
    for (int i = 0; i < fresh.length; i++) {
      if (fresh[i]) {
        kept.add(asked.get(i));
      }
    }
    return kept;
  }
}
