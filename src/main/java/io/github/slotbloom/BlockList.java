package io.github.slotbloom;

import io.github.slotbloom.report.RescuedKey;
import java.util.Collections;
import java.util.List;

/**
 * A Bloom filter as a block list, with an exact list of keys that are rescued: not blocked, though
 * they count as members.
 *
 * <p>A key is blocked if the filter may contain it and it is not rescued. A key is rescued if it
 * was listed by mistake, or if it was never listed and the filter takes it for a member (a false
 * positive). To block a key, add it to the filter. That does not end its rescue: a list that is
 * loaded again with the same mistake must not undo the work of those who found it.
 *
 * <p>Before it answers "blocked", a block list looks for the key among the rescued ones in the
 * database, whatever the {@linkplain FilterOptions#freshness(Freshness) freshness} of the filter.
 * So it knows every rescue that was acknowledged before the lookup, in any process, and most
 * answers "not blocked" need no such look. A rescue ends by the database clock. If the database
 * cannot be asked, {@link FilterOptions#whenUnavailable(WhenUnavailable)} decides as for the
 * filter: {@link WhenUnavailable#ANSWER_MAYBE} then means blocked.
 *
 * <p>The filter is asked first, and then the rescues. If others remove a key from the filter and
 * end its rescue in between, the answer may be "blocked" although the key was not blocked at any
 * moment.
 *
 * <p>The rescued keys outlive {@link FilterAdmin#clear} and replacements, and go with the filter
 * when it is dropped. Exports, copies and merges leave them out. {@link BloomFilter#mightContain}
 * and SQL functions know nothing of them; SQL finds them in the table {@code bloom_rescued}.
 *
 * <p>Thread-safe. Made by {@link BloomFilter#blockList}; closing the filter ends it.
 *
 * @param <K> the type of the keys
 */
public interface BlockList<K> {

  /**
   * Returns true if a key is blocked.
   *
   * @param key not null
   * @return true if the filter may contain it and it is not rescued
   * @throws io.github.slotbloom.error.InvalidKeyException if the filter cannot hold such a key
   * @throws io.github.slotbloom.error.FilterUnavailableException if the database cannot be asked
   *     and must be
   * @throws io.github.slotbloom.error.FilterClosedException if the filter was closed
   */
  boolean isBlocked(K key);

  /**
   * Returns which keys are blocked. Faster than single calls.
   *
   * @param keys any number of keys, none of them null
   * @return one answer per key, in the order of the keys
   * @throws io.github.slotbloom.error.InvalidKeyException if the filter cannot hold such a key
   * @throws io.github.slotbloom.error.FilterUnavailableException if the database cannot be asked
   *     and must be
   * @throws io.github.slotbloom.error.FilterClosedException if the filter was closed
   */
  boolean[] isBlockedEach(List<? extends K> keys);

  /**
   * Rescues a key, whether or not it is listed. If it is rescued already, the new reason, name and
   * end replace the old ones. When this method returns, the rescue is durable. If it throws, repeat
   * it: that does no harm.
   *
   * @param key not null
   * @param rescue why, by whom and until when
   * @return true if it was not rescued until now
   * @throws io.github.slotbloom.error.InvalidKeyException if the filter cannot hold such a key
   * @throws io.github.slotbloom.error.InvalidParameterException if the end is not in the future
   * @throws io.github.slotbloom.error.FilterUnavailableException if the database cannot be asked;
   *     the key may be rescued or not
   * @throws io.github.slotbloom.error.FilterNotFoundException if the filter is gone
   * @throws io.github.slotbloom.error.FilterClosedException if the filter was closed
   */
  default boolean rescue(K key, Rescue rescue) {
    return rescueEach(Collections.singletonList(key), rescue)[0];
  }

  /**
   * Rescues keys as {@link #rescue} does, all or none. Whoever adds to the filter waits meanwhile,
   * in all processes: of very many keys, rescue some thousand at a time.
   *
   * @param keys any number of keys, none of them null
   * @param rescue why, by whom and until when, for all of them
   * @return one answer per key, in the order of the keys; the second of two equal keys was rescued
   */
  boolean[] rescueEach(List<? extends K> keys, Rescue rescue);

  /**
   * Ends the rescue of a key, so that it is blocked again if it counts as a member.
   *
   * @param key not null
   * @return true if it was rescued until now
   * @throws io.github.slotbloom.error.InvalidKeyException if the filter cannot hold such a key
   * @throws io.github.slotbloom.error.FilterUnavailableException if the database cannot be asked;
   *     the key may be rescued or not
   * @throws io.github.slotbloom.error.FilterNotFoundException if the filter is gone
   * @throws io.github.slotbloom.error.FilterClosedException if the filter was closed
   */
  default boolean endRescue(K key) {
    return endRescueEach(Collections.singletonList(key))[0];
  }

  /**
   * Ends the rescue of keys as {@link #endRescue} does, of all or none.
   *
   * @param keys any number of keys, none of them null
   * @return one answer per key, in the order of the keys; the second of two equal keys was not
   *     rescued
   */
  boolean[] endRescueEach(List<? extends K> keys);

  /**
   * Reads the keys that are rescued now from the database.
   *
   * @return their hashes with the reason and who rescued them, oldest rescue first
   * @throws io.github.slotbloom.error.FilterUnavailableException if the database cannot be asked
   * @throws io.github.slotbloom.error.FilterNotFoundException if the filter is gone
   * @throws io.github.slotbloom.error.FilterClosedException if the filter was closed
   */
  List<RescuedKey> rescued();
}
