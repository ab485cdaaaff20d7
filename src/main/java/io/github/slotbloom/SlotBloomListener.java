package io.github.slotbloom;

import java.time.Duration;

/**
 * Hears what happens inside. Every method does nothing by default. Calls come from the library's
 * own threads, so a method must return quickly and be thread-safe; what it throws is logged and
 * otherwise ignored.
 */
public interface SlotBloomListener {

  /** A listener that does nothing. */
  SlotBloomListener NONE = new SlotBloomListener() {};

  /**
   * The filter holds so much of its capacity that it is time to act: 80 %, unless it was opened
   * with another share. Told once for each opening of the filter, and again after it grew.
   *
   * @param filter its name
   * @param keysAdded how many keys it holds
   * @param capacity how many it was made for
   */
  default void nearlyFull(String filter, long keysAdded, long capacity) {}

  /**
   * The filter is set to grow by itself, and cannot. Adding goes on, and the error rate rises above
   * the target once the filter holds more keys than it was made for. It is tried again. Told once
   * for each reason, until it succeeds.
   *
   * @param filter its name
   * @param reason why, and what to do about it, in sentences
   */
  default void growthFailed(String filter, String reason) {}

  /**
   * The filter holds as many keys as it was made for, so from here new ones are turned away, or its
   * error rate rises above the target. Of a filter that grows by itself, told only if it could not.
   * Told once for each opening of the filter, and again after it grew.
   *
   * @param filter its name
   * @param keysAdded how many keys it holds
   * @param capacity how many it was made for
   */
  default void capacityReached(String filter, long keysAdded, long capacity) {}

  /**
   * What others wrote has not been heard of for longer than twice the lease, which is two seconds.
   * Told once until a poll succeeds again.
   *
   * @param filter its name
   * @param age how long ago the last successful read began
   */
  default void lagging(String filter, Duration age) {}

  /**
   * A transaction failed in a way that allows to play it again.
   *
   * @param filter its name
   * @param attempt counts from 1
   * @param reason what the database or its driver threw
   */
  default void retrying(String filter, int attempt, Exception reason) {}

  /**
   * The mirror in memory was thrown away and is loaded anew.
   *
   * @param filter its name
   * @param reason what made it unfit, as a sentence
   */
  default void reloading(String filter, String reason) {}

  /**
   * The server's settings allow a crash of the server to lose what was acknowledged. They are read
   * when the server is connected to, when a mirror is loaded, when another server answers, and once
   * a minute while a filter is open. Each finding is told once, and again if it had gone away.
   *
   * @param finding which setting, and which value would do
   */
  default void weakDurability(String finding) {}

  /**
   * No finding that {@link #weakDurability} told holds any more: the settings were changed, or
   * another server answers.
   */
  default void durabilityRestored() {}

  /**
   * Other servers take writes as well, so a strict question may miss what was added through one of
   * them. Read and told as {@link #weakDurability} is.
   *
   * @param finding which setting, and what to do about it
   */
  default void severalPrimaries(String finding) {}
}
