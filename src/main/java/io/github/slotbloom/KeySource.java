package io.github.slotbloom;

import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.admin.HashSource;
import io.github.slotbloom.internal.admin.QueryKeys;
import io.github.slotbloom.internal.admin.RetainedHashes;
import io.github.slotbloom.internal.admin.SpecCheck;
import io.github.slotbloom.internal.engine.KeyHashing;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Where the keys of a filter come from once more, for {@link FilterAdmin#replace}: all that were
 * added before the call. It is read twice at least, from its beginning, and begins to be read only
 * when no process adds to the old generations alone any more; so a query sees all that it has to,
 * if the row of a key is committed before the key is added, or in the transaction that adds it
 * ({@link BloomFilter#within}). A row that is written later is missed if it comes too late and its
 * key was answered "seen" by a false positive.
 *
 * <p>The order of its keys should be the same each time: then a replacement that was cut off goes
 * on where it was. In another order it is right as well, but may read the source once more.
 */
public final class KeySource {

  private final HashSource hashes;

  private KeySource(HashSource hashes) {
    this.hashes = hashes;
  }

  /**
   * Keys that a program brings.
   *
   * @param <K> the type of the keys
   * @param description says where they come from; a replacement that was cut off goes on where it
   *     was if it is the same
   * @param keyType the one that the filter was made with
   * @param keys gives a stream of all keys, each time anew; it is closed after use
   * @return the source
   */
  public static <K> KeySource of(
      String description, KeyType<K> keyType, Callable<? extends Stream<? extends K>> keys) {
    Objects.requireNonNull(keys, "keys");
    return new KeySource(
        new HashSource(
            Objects.requireNonNull(description, "description"),
            filter -> SpecCheck.requireKeyType(filter, keyType),
            (directory, filter) -> {
              KeyHashing<K> hashing = new KeyHashing<>(filter, keyType);
              return keys.call().mapToLong(hashing::hash);
            }));
  }

  /**
   * Keys that a query brings. Its rows are streamed, as far as the driver can.
   *
   * @param <K> the type of the keys
   * @param keyType the one that the filter was made with
   * @param dataSource where the query is run, on a connection of its own; any database
   * @param sql a query; with an ORDER BY a replacement that was cut off goes on where it was
   * @param key makes the key of a row
   * @return the source
   */
  public static <K> KeySource query(
      KeyType<K> keyType, DataSource dataSource, String sql, RowKey<K> key) {
    QueryKeys<K> rows = new QueryKeys<>(dataSource, sql, Objects.requireNonNull(key, "key")::of);
    return of("query " + sql, keyType, rows::stream);
  }

  /**
   * The journal of the filter itself, without the keys; for a filter that was reserved with {@link
   * FilterSpec.Builder#retainHashes}.
   *
   * @return the source; {@link FilterAdmin#replace} throws {@link
   *     io.github.slotbloom.error.InvalidParameterException} if the filter does not retain hashes
   */
  public static KeySource journal() {
    return new KeySource(
        new HashSource(
            "the journal",
            RetainedHashes::requireRetaining,
            (directory, filter) -> new RetainedHashes(directory, filter).stream()));
  }

  /**
   * Makes the key of a row.
   *
   * @param <K> the type of the key
   */
  @FunctionalInterface
  public interface RowKey<K> {
    /**
     * Reads the key.
     *
     * @param row the present one; not to be moved
     * @return the key
     * @throws SQLException if it cannot be read
     */
    K of(ResultSet row) throws SQLException;
  }

  HashSource hashes() {
    return hashes;
  }
}
