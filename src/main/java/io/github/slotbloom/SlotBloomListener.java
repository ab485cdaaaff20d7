package io.github.slotbloom;

import java.time.Duration;

/**
 * Receives events of the library. By default every method does nothing. The methods are called on
 * threads of the library and of its callers, so they must be thread-safe and return quickly. Their
 * exceptions are logged and otherwise ignored.
 */
public interface SlotBloomListener {

  /** A listener that does nothing. */
  SlotBloomListener NONE = new SlotBloomListener() {};

  /**
   * Called when this process has opened a filter, before anybody can use it. Openings that share
   * mirror and threads are told as one, with the first.
   *
   * @param filter the open filter; its statistics are of all that share them. Keep it until {@link
   *     #closed} is called with it, at most
   */
  default void opened(BloomFilter<?> filter) {}

  /**
   * Called when this process has closed a filter, once for each that was {@link #opened}. {@link
   * BloomFilter#statistics} still works.
   *
   * @param filter the very object that was opened
   */
  default void closed(BloomFilter<?> filter) {}

  /**
   * Called when a transaction of the library has added keys of one call, after they are durable and
   * before the caller hears of it, on the thread of the caller or of the library. Not called for
   * keys that are known without a transaction, such as those that memory knows: nothing reads a
   * clock for those. Not called for adds that failed, nor for those in transactions of callers.
   *
   * @param filter the name of the filter
   * @param keys the number of keys of the call that the transaction decided on
   * @param newKeys those of them that were new
   * @param took the time since the call began; in a call of several transactions, since the one
   *     before ended
   */
  default void added(String filter, int keys, int newKeys, Duration took) {}

  /**
   * Called when a filter is nearly full: at 80 % of its capacity, unless it was opened with another
   * share. It is then time to act. Called once for each opening of the filter, and again after it
   * grew.
   *
   * @param filter the name of the filter
   * @param keysAdded the number of keys that it holds
   * @param capacity the number of keys that it was made for
   */
  default void nearlyFull(String filter, long keysAdded, long capacity) {}

  /**
   * Called when a filter that is set to grow by itself cannot grow. Adds still work, but the error
   * rate rises above the target once the filter holds more keys than it was made for. The growth is
   * tried again. Called once for each reason, until the growth succeeds.
   *
   * @param filter the name of the filter
   * @param reason the cause and the remedy, in full sentences
   */
  default void growthFailed(String filter, String reason) {}

  /**
   * Called when a filter holds as many keys as it was made for. From now on, new keys are refused
   * or the error rate rises above the target. If the filter grows by itself, this is called only
   * when it could not grow. Called once for each opening of the filter, and again after it grew.
   *
   * @param filter the name of the filter
   * @param keysAdded the number of keys that it holds
   * @param capacity the number of keys that it was made for
   */
  default void capacityReached(String filter, long keysAdded, long capacity) {}

  /**
   * Called when this process could not read the changes of other processes for longer than twice
   * the lease, which is two seconds. Called once, until a poll succeeds again.
   *
   * @param filter the name of the filter
   * @param age the time since the last successful read began
   */
  default void lagging(String filter, Duration age) {}

  /**
   * Called when a transaction failed and will be tried again.
   *
   * @param filter the name of the filter
   * @param attempt the number of the attempt, counted from 1
   * @param reason the exception of the database or its driver
   */
  default void retrying(String filter, int attempt, Exception reason) {}

  /**
   * Called when the mirror in memory was discarded and is loaded again.
   *
   * @param filter the name of the filter
   * @param reason the reason that the mirror could not be used anymore, as a sentence
   */
  default void reloading(String filter, String reason) {}

  /**
   * Called when a filter expired, so that nobody can use it anymore. Called once for each opening
   * of the filter, within about two seconds, and again if it was given more time and expired again.
   *
   * @param filter the name of the filter
   */
  default void expired(String filter) {}

  /**
   * Called when a window cannot prepare its next bucket, as when the account may not make tables.
   * Its keys then live longer than they should. It is tried again; called again if the reason
   * changes.
   *
   * @param filter the name of the filter
   * @param reason what failed, and a remedy
   */
  default void rotationFailed(String filter, String reason) {}

  /**
   * Called when the settings of the server allow a crash of the server to lose acknowledged keys.
   * The settings are read when the server is connected to, when a mirror is loaded, when another
   * server answers, and once a minute while a filter is open. Each finding is reported once, and
   * again if it returns after it had gone away.
   *
   * @param finding the setting, and a value that is safe
   */
  default void weakDurability(String finding) {}

  /**
   * Called when no finding of {@link #weakDurability} holds anymore, because the settings were
   * changed or another server answers.
   */
  default void durabilityRestored() {}

  /**
   * Called when other servers accept writes too. A replacement or a clear does not wait then for
   * transactions of applications on another server. Read and reported in the same way as {@link
   * #weakDurability}.
   *
   * @param finding the setting and the remedy
   */
  default void severalPrimaries(String finding) {}

  /**
   * Called when the server belongs to a replication group of MySQL, and the account may not see the
   * state of its members. Then a server that was started outside of the group, and may lack what
   * the group acknowledged, is taken for the primary. Called once, when the server is connected to.
   *
   * @param finding the right that is missing
   */
  default void groupHidden(String finding) {}

  /**
   * Called when {@link SlotBloom#migrate} has to wait for another process that migrates. Called
   * once for each call, on its thread.
   *
   * @param timeout how long it waits at most
   */
  default void migrationWaits(Duration timeout) {}
}
