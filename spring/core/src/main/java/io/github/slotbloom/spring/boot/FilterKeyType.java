package io.github.slotbloom.spring.boot;

import io.github.slotbloom.core.KeyType;

/** The type of the keys of a filter that is declared by properties. */
public enum FilterKeyType {
  /** Text: the bean is a {@code BloomFilter<String>}. */
  TEXT(String.class),
  /** Whole numbers: the bean is a {@code BloomFilter<Long>}. */
  LONG(Long.class),
  /** Bytes: the bean is a {@code BloomFilter<byte[]>}. */
  BYTES(byte[].class);

  private final Class<?> keyClass;

  FilterKeyType(Class<?> keyClass) {
    this.keyClass = keyClass;
  }

  KeyType<?> keyType() {
    return switch (this) {
      case TEXT -> KeyType.text();
      case LONG -> KeyType.longs();
      case BYTES -> KeyType.bytes();
    };
  }

  Class<?> keyClass() {
    return keyClass;
  }
}
