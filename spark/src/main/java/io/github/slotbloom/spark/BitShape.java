package io.github.slotbloom.spark;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyHash;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.error.InvalidKeyException;
import io.github.slotbloom.internal.bits.Probe;
import java.io.Serializable;
import java.util.Iterator;
import org.apache.spark.sql.Row;

/**
 * What tasks need to know of a filter to set the bits of its keys. Immutable.
 *
 * @param column name of the column of the keys, for messages
 * @param keys how values of the column are taken
 * @param hash the hash function
 * @param seed of the hash function
 * @param layout where the bits of a key lie
 * @param bits how many there are
 * @param hashes bits a key
 */
record BitShape(
    String column,
    ColumnKeys keys,
    HashAlgorithm hash,
    long seed,
    Layout layout,
    long bits,
    int hashes)
    implements Serializable {

  BloomParameters parameters() {
    return new BloomParameters(layout, bits, hashes);
  }

  /** Sets the bits of all rows, whose first value is the key. */
  BitSegments segments(Iterator<Row> rows) {
    BitSegments segments = new BitSegments(parameters());
    Probe probe = Probe.of(parameters());
    KeyHash hashing = hash.create(seed);
    KeyType<Object> type = keys.keyType();
    while (rows.hasNext()) {
      Object value = rows.next().get(0);
      if (value == null) {
        throw nullKey(column);
      }
      probe.forEachMask(keys.hash(value, type, hashing), segments::or);
    }
    return segments;
  }

  static InvalidKeyException nullKey(String column) {
    return new InvalidKeyException(
        "A key in column %s is null. Remove such rows first: dataset.na().drop(...)."
            .formatted(column));
  }

  /** {@return a text without the seed, which may be a secret} */
  @Override
  public String toString() {
    return "bits of column " + column;
  }
}
