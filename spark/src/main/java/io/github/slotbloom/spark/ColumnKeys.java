package io.github.slotbloom.spark;

import io.github.slotbloom.core.KeyHash;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.InvalidKeyException;
import io.github.slotbloom.error.InvalidParameterException;
import java.io.Serializable;

/**
 * Takes the values of a column for keys of a filter. Only the id of the key type goes to the
 * executors, since an encoder may not be serializable. So keys of a custom type come encoded.
 * Thread-safe.
 *
 * @param typeId of the key type
 */
record ColumnKeys(String typeId) implements Serializable {

  private static final String CUSTOM_PREFIX = "custom:";

  /** Returns the key type for what {@link #key} returns. */
  KeyType<Object> keyType() {
    if (typeId.startsWith(CUSTOM_PREFIX)) {
      return KeyType.encoded(typeId.substring(CUSTOM_PREFIX.length()), key -> (byte[]) key);
    }
    return objects(
        switch (typeId) {
          case "text" -> KeyType.text();
          case "bytes" -> KeyType.bytes();
          case "long" -> KeyType.longs();
          default -> throw new InvalidParameterException("The key type " + typeId + " is unknown.");
        });
  }

  /** {@link #key} checks what the compiler cannot. */
  @SuppressWarnings("unchecked")
  private static KeyType<Object> objects(KeyType<?> type) {
    return (KeyType<Object>) type;
  }

  /**
   * Returns the key that a value of the column is.
   *
   * @throws InvalidKeyException if it is of another type
   */
  Object key(Object value) {
    if (typeId.equals("long") && isWhole(value)) {
      return ((Number) value).longValue();
    }
    Class<?> wanted =
        switch (typeId) {
          case "text" -> String.class;
          case "long" -> Long.class;
          default -> byte[].class;
        };
    if (!wanted.isInstance(value)) {
      throw new InvalidKeyException(
          "A filter with %s keys cannot look up a %s. Use a column of %s."
              .formatted(typeId, value.getClass().getSimpleName(), columnType()));
    }
    return value;
  }

  private static boolean isWhole(Object value) {
    return value instanceof Long
        || value instanceof Integer
        || value instanceof Short
        || value instanceof Byte;
  }

  private String columnType() {
    return switch (typeId) {
      case "text" -> "the type string";
      case "long" -> "the type bigint, int, smallint or tinyint";
      case "bytes" -> "the type binary";
      default -> "the type binary, with the bytes from the key type's encoder";
    };
  }

  /** Returns the hash of a value of the column. */
  long hash(Object value, KeyType<Object> type, KeyHash hash) {
    return type.hash(key(value), hash);
  }
}
