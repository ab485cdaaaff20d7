package io.github.slotbloom.core;

import io.github.slotbloom.error.InvalidKeyException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.sql.Quoted;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The type of the keys of a filter, which says which bytes of a key are hashed. The {@link #id()}
 * is part of the stored format. Two key types are equal if their ids are. Immutable and
 * thread-safe.
 *
 * @param <K> the type of the keys
 */
public final class KeyType<K> {

  /** The largest size of a key in its hashed form, in bytes: 1 MiB. */
  public static final int MAX_KEY_BYTES = 1 << 20;

  private static final Pattern CUSTOM_ID = Pattern.compile("[a-z][a-z0-9_.-]{0,30}");
  private static final String CUSTOM_PREFIX = "custom:";

  private static final KeyType<String> TEXT =
      new KeyType<>("text", (key, hash) -> hash.hashText(key));
  private static final KeyType<byte[]> TEXT_BYTES = new KeyType<>("text", KeyType::hashBytes);
  private static final KeyType<byte[]> BYTES = new KeyType<>("bytes", KeyType::hashBytes);
  private static final KeyType<Long> LONGS =
      new KeyType<>("long", (key, hash) -> hash.hashLong(key));

  private final String id;
  private final Hashing<? super K> hashing;

  private KeyType(String id, Hashing<? super K> hashing) {
    this.id = id;
    this.hashing = hashing;
  }

  /**
   * Returns the type for text, which is hashed as its UTF-8 bytes without normalization. Two
   * spellings of the same word with different code points are two keys. Text with an unpaired
   * surrogate is refused, because it has no UTF-8 form.
   *
   * @return the type with the id {@code text}
   */
  public static KeyType<String> text() {
    return TEXT;
  }

  /**
   * Returns the type for text that is given as UTF-8 bytes. It has the same id and the same hashes
   * as {@link #text()}, so both open the same filter and stand for the same keys. Bytes that are
   * not valid UTF-8 are hashed as they are; no String equals such a key.
   *
   * @return a type with the id {@code text}
   */
  public static KeyType<byte[]> textBytes() {
    return TEXT_BYTES;
  }

  /**
   * Returns the type for byte arrays, which are hashed as they are. The filter never keeps or
   * changes an array.
   *
   * @return the type with the id {@code bytes}
   */
  public static KeyType<byte[]> bytes() {
    return BYTES;
  }

  /**
   * Returns the type for whole numbers, which are hashed as eight bytes, least significant byte
   * first.
   *
   * @return the type with the id {@code long}
   */
  public static KeyType<Long> longs() {
    return LONGS;
  }

  /**
   * Creates a type for keys of the caller's own type.
   *
   * @param <K> the type of the keys
   * @param id names the encoding, for instance {@code order-id.v1}: 1 to 31 of a-z, 0-9, dot,
   *     hyphen and underscore, beginning with a letter. It is stored as {@code custom:<id>}; use a
   *     new id when the bytes of the encoding change
   * @param encoder makes the bytes of a key
   * @return the type with the id {@code custom:<id>}
   * @throws InvalidParameterException if the id is not of that form
   */
  public static <K> KeyType<K> encoded(String id, KeyEncoder<? super K> encoder) {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(encoder, "encoder");
    if (!CUSTOM_ID.matcher(id).matches()) {
      throw new InvalidParameterException(
          ("Key type id %s is invalid; use 1 to 31 of a-z, 0-9, '.', '-' and '_', beginning with a"
                  + " letter")
              .formatted(Quoted.of(id)));
    }
    String storedId = CUSTOM_PREFIX + id;
    return new KeyType<>(
        storedId,
        (key, hash) -> {
          byte[] bytes = encoder.encode(key);
          if (bytes == null) {
            throw new NullPointerException(
                "The encoder of key type " + storedId + " returned null");
          }
          return hashBytes(bytes, hash);
        });
  }

  /**
   * Returns true if the text is a valid {@link #id()} of a key type.
   *
   * @param id any text
   * @return true for {@code text}, {@code bytes}, {@code long} and {@code custom:...} of a valid id
   */
  public static boolean isId(String id) {
    return id.equals(TEXT.id)
        || id.equals(BYTES.id)
        || id.equals(LONGS.id)
        || (id.startsWith(CUSTOM_PREFIX)
            && CUSTOM_ID.matcher(id.substring(CUSTOM_PREFIX.length())).matches());
  }

  /** {@return the id of the key type in the catalog} */
  public String id() {
    return id;
  }

  /**
   * Hashes a key.
   *
   * @param key not null
   * @param hash the hash function of the filter
   * @return the hash of the bytes of the key
   * @throws InvalidKeyException if the key has more than {@value #MAX_KEY_BYTES} bytes or is not
   *     valid Unicode text
   * @throws NullPointerException if the key is null, or its encoder returns null
   */
  public long hash(K key, KeyHash hash) {
    if (key == null) {
      throw new NullPointerException("The key is null; a filter of " + id + " keys has no null");
    }
    return hashing.hash(key, hash);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeyType<?> that && id.equals(that.id);
  }

  @Override
  public int hashCode() {
    return id.hashCode();
  }

  @Override
  public String toString() {
    return id;
  }

  private static long hashBytes(byte[] key, KeyHash hash) {
    KeyBytes.checkSize(key.length);
    return hash.hashBytes(key);
  }

  @FunctionalInterface
  private interface Hashing<K> {
    long hash(K key, KeyHash hash);
  }
}
