package io.github.slotbloom;

import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.admin.SpecCheck;
import io.github.slotbloom.internal.opened.KeyHashing;
import io.github.slotbloom.internal.replace.RetainedHashes;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.transfer.HashSource;
import io.github.slotbloom.internal.transfer.QueryKeys;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Provides the keys of a filter again, for {@link FilterAdmin#replace}: all keys that were added
 * before the call.
 *
 * <p>A replacement reads the source at least twice, each time from its beginning. Reading begins
 * only when no process adds to the old generations alone anymore. So a query sees all required keys
 * if the row of a key is committed before the key is added, or in the transaction that adds it
 * ({@link BloomFilter#within}). If a row is written later than that, its key may be missed: this
 * happens if the row comes too late and the key was answered "seen" by a false positive.
 *
 * <p>The keys should come in the same order each time. Then an interrupted replacement continues
 * where it stopped. With another order the result is also correct, but the source may be read once
 * more.
 */
public final class KeySource {

  private final HashSource hashes;

  private KeySource(HashSource hashes) {
    this.hashes = hashes;
  }

  /**
   * Creates a source of keys from a program.
   *
   * @param <K> the type of the keys
   * @param description says where the keys come from; an interrupted replacement continues where it
   *     stopped if this text is the same
   * @param keyType the key type that the filter was created with
   * @param keys returns a new stream of all keys on each call; the stream is closed after use
   * @return the source
   */
  public static <K> KeySource of(
      String description, KeyType<K> keyType, Callable<? extends Stream<? extends K>> keys) {
    return new KeySource(
        new HashedKeys<K>(
            Objects.requireNonNull(description, "description"),
            keyType,
            Objects.requireNonNull(keys, "keys")));
  }

  private record HashedKeys<K>(
      String description, KeyType<K> keyType, Callable<? extends Stream<? extends K>> keys)
      implements HashSource {

    @Override
    public void requireFits(FilterRecord filter) {
      SpecCheck.requireKeyType(filter, keyType);
    }

    @Override
    public LongStream open(FilterDirectory directory, FilterRecord filter) throws Exception {
      KeyHashing<K> hashing = new KeyHashing<>(filter, keyType);
      return keys.call().mapToLong(hashing::hash);
    }
  }

  /**
   * Creates a source of keys from a query. Its rows are streamed if the driver can do that.
   *
   * @param <K> the type of the keys
   * @param keyType the key type that the filter was created with
   * @param dataSource the database to query, of any kind; each query uses a connection of its own
   * @param sql a query; with an ORDER BY, an interrupted replacement continues where it stopped
   * @param key makes the key of a row
   * @return the source
   */
  public static <K> KeySource query(
      KeyType<K> keyType, DataSource dataSource, String sql, RowKey<K> key) {
    QueryKeys<K> rows = new QueryKeys<>(dataSource, sql, Objects.requireNonNull(key, "key")::of);
    return of("query " + sql, keyType, rows::stream);
  }

  /**
   * Creates a source that reads the hashes in the journal of the filter itself, without the keys.
   * It works for a filter that was reserved with {@link FilterSpec.Builder#retainHashes}, and only
   * while the filter is being replaced.
   *
   * @return the source; {@link FilterAdmin#replace} throws {@link
   *     io.github.slotbloom.error.InvalidParameterException} if the filter does not retain hashes
   */
  public static KeySource journal() {
    return new KeySource(new RetainedHashes());
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
     * @param row the result set at the present row; it must not be moved
     * @return the key
     * @throws SQLException if it cannot be read
     */
    K of(ResultSet row) throws SQLException;
  }

  HashSource hashes() {
    return hashes;
  }
}
