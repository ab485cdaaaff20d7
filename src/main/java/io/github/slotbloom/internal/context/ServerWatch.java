package io.github.slotbloom.internal.context;

import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.ExpiryRows;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.ReplicationGroup;
import io.github.slotbloom.internal.store.session.ServerSettings;
import io.github.slotbloom.internal.time.DatabaseClock;
import io.github.slotbloom.internal.time.Moment;
import io.github.slotbloom.internal.time.TimeSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the settings of the server that decide what a crash can take back. It reads them again at
 * intervals, since an operator may change them, and a failover may lead to another server.
 * Thread-safe.
 */
public final class ServerWatch {

  private static final Logger log = LoggerFactory.getLogger(ServerWatch.class);
  private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final String GROUP_HIDDEN =
      "The server belongs to a replication group, and this account cannot see whether it is an"
          + " ONLINE member: GRANT SELECT ON performance_schema.replication_group_members to it."
          + " Otherwise a server that was started outside the group can give stale answers.";

  private final Database database;
  private final TimeSource time;
  private final SlotBloomListener listener;
  private final DatabaseClock clock;

  private volatile ServerSettings settings;
  private volatile boolean visibleIsDurable;
  private volatile Moment read;

  /** True if the last read needed a durable commit of this process, and could not make one. */
  private volatile boolean flushFailed;

  /**
   * @param first the settings that were read when the server was connected to
   * @param listener hears what the settings weaken, now and when they change
   */
  public ServerWatch(
      Database database, ServerSettings first, TimeSource time, SlotBloomListener listener) {
    this.database = database;
    this.time = time;
    this.clock = new DatabaseClock(time);
    this.listener = listener;
    settings = first;
    visibleIsDurable = first.visibleIsDurable();
    read = time.now();
    warn(first, List.of(), List.of());
    if (database.group() == ReplicationGroup.HIDDEN) {
      log.warn("hidden group: {}", GROUP_HIDDEN);
      listener.on(new SlotBloomEvent.PrimaryInDoubt(GROUP_HIDDEN));
    }
  }

  /**
   * Returns true if everything that another session could see up to now survives a crash of the
   * server. The answer is at most a minute old, or half a second after a failover.
   */
  public boolean visibleIsDurable() {
    return visibleIsDurable;
  }

  public DatabaseClock clock() {
    return clock;
  }

  public void readClock() {
    Moment asked = time.now();
    clock.hear(asked, database.transact(ExpiryRows::nowMicros));
  }

  /**
   * Reads the settings if a minute has passed, or if another server answers.
   *
   * @param server {@link ServerSettings#server} of the server that answered a poll
   * @param filterId as for {@link #read}
   */
  public void onPulse(String server, long filterId) {
    boolean flushAwaited = settings.visibleIsDurable() != visibleIsDurable && !flushFailed;
    if (flushAwaited
        || !server.equals(settings.server())
        || time.nanosSince(read) >= INTERVAL_NANOS) {
      read(filterId);
    }
  }

  /**
   * Reads the settings. Weaker settings count at once. Data that was written under weaker settings
   * is flushed by the next durable commit of any session, so stronger settings count only after a
   * commit of this process. If that commit fails, for example because the account may only read,
   * they do not count, and the commit is tried again in a minute.
   *
   * @param filterId the number of a filter; a row of it is written if such a commit is needed
   * @throws DatabaseFailure if the settings could not be read
   */
  public synchronized void read(long filterId) {
    Moment begun = time.now();
    boolean durableBefore = visibleIsDurable;
    ServerSettings before = settings;
    ServerSettings now = database.read(ServerSettings::read);
    visibleIsDurable = now.visibleIsDurable() && (durableBefore || flush(filterId));
    settings = now;
    read = begun;
    if (durableBefore != visibleIsDurable) {
      log.info(
          "what other sessions see on server {} is {} durable",
          now.server(),
          visibleIsDurable ? "always" : "not always");
    }
    warn(now, before.weakDurability(), before.severalPrimaries());
    if (now.weakDurability().isEmpty() && !before.weakDurability().isEmpty()) {
      log.info("durability is restored");
      listener.on(new SlotBloomEvent.DurabilityRestored());
    }
  }

  /** Returns true if a commit was made, which is durable if the settings are. */
  private boolean flush(long filterId) {
    try {
      boolean flushed = database.transact(tx -> Catalog.tickUnlessLocked(tx, filterId));
      flushFailed = false;
      return flushed;
    } catch (DatabaseFailure e) {
      log.debug("no durable commit could be made", e);
      flushFailed = true;
      return false;
    }
  }

  private void warn(ServerSettings now, List<String> weakBefore, List<String> severalBefore) {
    for (String finding : now.weakDurability()) {
      if (!weakBefore.contains(finding)) {
        log.warn("weak durability: {}", finding);
        listener.on(new SlotBloomEvent.WeakDurability(finding));
      }
    }
    for (String finding : now.severalPrimaries()) {
      if (!severalBefore.contains(finding)) {
        log.warn("more than one primary: {}", finding);
        listener.on(new SlotBloomEvent.PrimaryInDoubt(finding));
      }
    }
  }
}
