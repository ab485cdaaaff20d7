package io.github.slotbloom;

import java.time.Duration;
import java.util.Locale;

/**
 * Something that happened in the library, as a {@link SlotBloomListener} receives it. The kinds are
 * nested in this type. Later versions may send further kinds, so ignore those that you do not know:
 *
 * <pre>{@code
 * SlotBloom.builder(dataSource)
 *     .listener(
 *         event -> {
 *           if (event instanceof SlotBloomEvent.NearlyFull full) {
 *             alarm(full.message());
 *           }
 *         })
 *     .build();
 * }</pre>
 */
public interface SlotBloomEvent {

  /** {@return the name of the filter; empty if the event is one of the server or the schema} */
  default String filter() {
    return "";
  }

  /** {@return what happened and, where there is one, the remedy, in full sentences for a log} */
  String message();

  /**
   * This process has opened a filter, before anyone can use it. Openings that share mirror and
   * threads are reported once, with the first.
   *
   * @param of the open filter; its statistics are of all that share them. Keep it until it is
   *     {@link Closed}, at most
   */
  record Opened(BloomFilter<?> of) implements SlotBloomEvent {
    @Override
    public String filter() {
      return of.name();
    }

    @Override
    public String message() {
      return "Filter " + filter() + " was opened.";
    }
  }

  /**
   * This process has closed a filter. Sent once for each that was {@link Opened}. {@link
   * BloomFilter#statistics} still works.
   *
   * @param of the very object that was opened
   */
  record Closed(BloomFilter<?> of) implements SlotBloomEvent {
    @Override
    public String filter() {
      return of.name();
    }

    @Override
    public String message() {
      return "Filter " + filter() + " was closed.";
    }
  }

  /**
   * A transaction of the library has added keys of one call. Sent after they are durable and before
   * the caller is answered, on the thread of the caller or of the library. Not sent for keys that
   * are known without a transaction, such as those that memory knows: nothing reads a clock for
   * those. Not sent for failed adds, nor for adds in callers' transactions.
   *
   * @param filter the name of the filter
   * @param keys the number of keys of the call that the transaction decided on
   * @param newKeys those of them that were new
   * @param took the time since the call began; in a call of several transactions, since the one
   *     before ended
   */
  record Added(String filter, int keys, int newKeys, Duration took) implements SlotBloomEvent {
    @Override
    public String message() {
      return "Added %s keys to filter %s, %s of them new, in %s ms."
          .formatted(keys, filter, newKeys, took.toMillis());
    }
  }

  /**
   * A filter is nearly full: at 80 % of its capacity, unless it was opened with another share. Sent
   * once for each opening of the filter, and again after it grew.
   *
   * @param filter the name of the filter
   * @param keys the number of keys that take room; of a window, in its current bucket
   * @param capacity the number of keys that it, or that bucket, is sized for
   * @param outlook what follows when it is full, and the remedy, as the end of a sentence
   */
  record NearlyFull(String filter, long keys, long capacity, String outlook)
      implements SlotBloomEvent {
    @Override
    public String message() {
      return String.format(
          Locale.ROOT,
          "Filter %s is nearly full: it holds %,d of %,d keys; %s.",
          filter,
          keys,
          capacity,
          outlook);
    }
  }

  /**
   * A filter has reached its capacity. If the filter grows automatically, this is sent only when it
   * could not grow. Sent once for each opening of the filter, and again after it grew.
   *
   * @param filter the name of the filter
   * @param keys the number of keys that take room; of a window, in its current bucket
   * @param capacity the number of keys that it, or that bucket, is sized for
   * @param outlook what follows, as the end of a sentence
   */
  record CapacityReached(String filter, long keys, long capacity, String outlook)
      implements SlotBloomEvent {
    @Override
    public String message() {
      return String.format(
          Locale.ROOT,
          "Filter %s is full: it holds %,d of %,d keys, so %s.",
          filter,
          keys,
          capacity,
          outlook);
    }
  }

  /**
   * A filter that is set to grow automatically cannot grow. Adds still work, but the false positive
   * rate rises above the target once the filter holds more keys than its capacity. Growth is
   * retried. Sent once for each reason, until the growth succeeds.
   *
   * @param filter the name of the filter
   * @param reason the cause and the remedy, in full sentences
   */
  record GrowthFailed(String filter, String reason) implements SlotBloomEvent {
    @Override
    public String message() {
      return "Filter " + filter + " cannot grow automatically right now: " + reason;
    }
  }

  /**
   * This process could not read the changes of other processes for longer than twice the lease,
   * which is two seconds. Sent once, until a poll succeeds again.
   *
   * @param filter the name of the filter
   * @param age the time since the last successful read began
   */
  record Lagging(String filter, Duration age) implements SlotBloomEvent {
    @Override
    public String message() {
      return ("This process has not been able to read changes of filter %2$s for %1$s ms. Check"
              + " that the database answers.")
          .formatted(age.toMillis(), filter);
    }
  }

  /**
   * A transaction failed and will be retried.
   *
   * @param filter the name of the filter
   * @param attempt the number of the attempt, counted from 1
   * @param cause the exception of the database or its driver
   */
  record Retrying(String filter, int attempt, Exception cause) implements SlotBloomEvent {
    @Override
    public String message() {
      return "Attempt %s of a transaction on filter %s failed, and it will be tried again: %s"
          .formatted(attempt, filter, cause);
    }
  }

  /**
   * The mirror in memory was discarded and is loaded again.
   *
   * @param filter the name of the filter
   * @param reason the reason that the mirror could not be used anymore, as a sentence
   */
  record Reloading(String filter, String reason) implements SlotBloomEvent {
    @Override
    public String message() {
      return "The mirror of filter %s is loaded again: %s.".formatted(filter, reason);
    }
  }

  /**
   * A filter expired, so that no client can use it anymore. Sent once for each opening of the
   * filter, within about two seconds, and again if its expiration time was extended and expired
   * again.
   *
   * @param filter the name of the filter
   */
  record Expired(String filter) implements SlotBloomEvent {
    @Override
    public String message() {
      return "Filter "
          + filter
          + " expired. Its tables are dropped in an hour; until then, a later expiration time"
          + " restores it (slotbloom expire).";
    }
  }

  /**
   * A window cannot prepare its next bucket, for example because the account cannot create tables.
   * Its keys then live longer than they should. It is retried; sent again if the reason changes.
   *
   * @param filter the name of the filter
   * @param reason what failed, and a remedy
   */
  record RotationFailed(String filter, String reason) implements SlotBloomEvent {
    @Override
    public String message() {
      return ("Filter %s cannot prepare its next bucket right now, so its keys live longer than"
              + " they should: %s")
          .formatted(filter, reason);
    }
  }

  /**
   * With the server's settings, a crash of the server can lose acknowledged keys. The settings are
   * read when the server is connected to, when a mirror is loaded, when another server answers, and
   * once a minute while a filter is open. Each finding is sent once, and again if it returns after
   * it had gone away.
   *
   * @param finding the setting, and a value that is safe
   */
  record WeakDurability(String finding) implements SlotBloomEvent {
    @Override
    public String message() {
      return finding;
    }
  }

  /**
   * No finding of {@link WeakDurability} holds anymore, because the settings were changed or
   * another server answers.
   */
  record DurabilityRestored() implements SlotBloomEvent {
    @Override
    public String message() {
      return "The server's settings are durable again.";
    }
  }

  /**
   * The server may not be the only one that takes writes. Other servers accept writes too, and a
   * replacement or a clear then does not wait for applications' transactions on them: this is read
   * and sent in the same way as {@link WeakDurability}. Or the server belongs to a replication
   * group of MySQL, and the account cannot see the state of its members. Then a server that was
   * started outside of the group, and may lack what the group acknowledged, is mistaken for the
   * primary: this is sent once, when the server is connected to.
   *
   * @param finding the setting and the remedy, or the missing privilege
   */
  record PrimaryInDoubt(String finding) implements SlotBloomEvent {
    @Override
    public String message() {
      return finding;
    }
  }

  /**
   * {@link SlotBloom#migrate} has to wait for another process that is migrating. Sent once for each
   * call, on its thread.
   *
   * @param timeout how long it waits at most
   */
  record MigrationWaits(Duration timeout) implements SlotBloomEvent {
    @Override
    public String message() {
      return "Another process is creating or updating the tables. This one waits for up to %s s."
          .formatted(timeout.toSeconds());
    }
  }
}
