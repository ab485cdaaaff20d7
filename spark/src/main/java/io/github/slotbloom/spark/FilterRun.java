package io.github.slotbloom.spark;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.error.InvalidParameterException;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * One run over the keys of a Dataset. Its id is what makes a repeated run a repetition: whatever is
 * evaluated again under the same id gets the answers that were recorded before, also in another
 * application. New data needs a new id. Immutable.
 *
 * @param id 1 to 64 letters, digits, dots, colons, hyphens and underscores, such as {@code
 *     crawl-2026-11-25}; never used before with the filter, unless the run is to be repeated
 * @param keysPerTransaction the number of keys of one transaction, from 1 to {@value
 *     BloomFilter#MAX_KEYS_PER_TRANSACTION}; all adds to the filter wait while one runs. It must
 *     stay the same when the run is repeated
 */
public record FilterRun(String id, int keysPerTransaction) {

  /** The number of keys of one transaction by default: 10,000. */
  public static final int DEFAULT_KEYS_PER_TRANSACTION = 10_000;

  private static final Pattern ID = Pattern.compile("[A-Za-z0-9._:-]{1,64}");

  /**
   * Checks the values.
   *
   * @param id as above
   * @param keysPerTransaction as above
   * @throws InvalidParameterException if one is outside its range
   */
  public FilterRun {
    Objects.requireNonNull(id, "id");
    if (!ID.matcher(id).matches()) {
      throw new InvalidParameterException(
          "The run id is '%s'. Use 1 to 64 of a-z, A-Z, 0-9, '.', '_', ':' and '-'.".formatted(id));
    }
    if (keysPerTransaction < 1 || keysPerTransaction > BloomFilter.MAX_KEYS_PER_TRANSACTION) {
      throw new InvalidParameterException(
          "A transaction cannot have %s keys. Use a number from 1 to %s."
              .formatted(keysPerTransaction, BloomFilter.MAX_KEYS_PER_TRANSACTION));
    }
  }

  /**
   * Returns a run with {@value #DEFAULT_KEYS_PER_TRANSACTION} keys a transaction.
   *
   * @param id as above
   * @return the run
   * @throws InvalidParameterException if the id is not valid
   */
  public static FilterRun of(String id) {
    return new FilterRun(id, DEFAULT_KEYS_PER_TRANSACTION);
  }
}
