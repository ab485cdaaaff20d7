package io.github.slotbloom.internal.membership;

import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.context.ServerWatch;
import io.github.slotbloom.internal.context.Waiting;
import io.github.slotbloom.internal.membership.KnownKeys.MemoryAnswer;
import io.github.slotbloom.internal.mirror.Image;
import io.github.slotbloom.internal.mirror.Mirror;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.Tail;
import io.github.slotbloom.internal.store.journal.TailReader;
import io.github.slotbloom.internal.store.session.Transactions;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.Deadline;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers from the mirror, and reads from the database only what others wrote since. */
public final class MirroredKeys implements KnownKeys {

  private static final Logger log = LoggerFactory.getLogger(MirroredKeys.class);

  /**
   * A mirror that is further behind catches up before it takes the lock, because others wait for
   * the lock.
   */
  private static final long MOST_ENTRIES_UNDER_LOCK = 128;

  /**
   * The number of keys that are looked up per reading of the clock. Any number would be correct:
   * the call is under way at that moment, so the state of that moment is a valid answer. A bound
   * keeps the answers of a long call from being older than necessary. This many keys take some tens
   * of microseconds, so the cost of reading the clock does not matter.
   */
  private static final int KEYS_PER_LOOK = 1024;

  private final FollowedFilter followed;
  private final Mirror mirror;
  private final ServerWatch server;
  private final long boundNanos;

  /** The age up to which a "yes" holds. If keys can be removed, it is no better than a "no". */
  private final long yesNanos;

  private final Waiting waiting;
  private final MirrorCatchUp catchUp;
  private final AppendedByCallers appendedByCallers = new AppendedByCallers();

  /**
   * @param bound how old the knowledge behind a "no" may be; zero queries the database each time
   */
  public MirroredKeys(FollowedFilter followed, Mirror mirror, ServerWatch server, Duration bound) {
    this.followed = followed;
    this.mirror = mirror;
    this.server = server;
    this.boundNanos = bound.toNanos();
    long leaseNanos = followed.now().lease().toNanos();
    this.yesNanos = followed.now().removable() ? Math.min(boundNanos, leaseNanos) : leaseNanos;
    this.waiting = new Waiting(followed.name());
    this.catchUp = new MirrorCatchUp(mirror);
  }

  @Override
  public boolean knows(long hash) {
    return !followed.now().removable() && hasRecorded(hash);
  }

  private boolean hasRecorded(long hash) {
    if (!mirror.leased()) {
      return false;
    }
    Image image = mirror.image();
    return image != null
        && image.isRecorded(hash)
        && !mayHaveToRenew(image)
        && (server.visibleIsDurable() || image.confirmed());
  }

  /**
   * Returns true if adding keys again extends their lifetime, and a bucket may have begun that has
   * none of them.
   */
  private boolean mayHaveToRenew(Image image) {
    return followed.now().renews()
        && image.arrays().newestBucket() < server.clock().bucketAtMost(followed.now().window());
  }

  @Override
  public boolean[] knowsEach(long[] hashes, Deadline deadline) {
    boolean[] known = haveRecorded(hashes);
    if (!followed.now().removable() || areAll(false, known, 0, known.length)) {
      return known;
    }
    return catchesUp(deadline) ? haveRecorded(hashes) : new boolean[hashes.length];
  }

  /** Returns false if the mirror cannot catch up. The write that follows then tells why. */
  private boolean catchesUp(Deadline deadline) {
    try {
      refreshedImage(deadline);
      return true;
    } catch (FilterUnavailableException e) {
      log.debug("looking up keys in filter {} under its lock", followed.name(), e);
      return false;
    }
  }

  private boolean[] haveRecorded(long[] hashes) {
    boolean[] known = new boolean[hashes.length];
    for (int from = 0; from < hashes.length; from += KEYS_PER_LOOK) {
      int to = Math.min(hashes.length, from + KEYS_PER_LOOK);
      Image image = mirror.leased() ? mirror.image() : null;
      if (image == null) {
        return known;
      }
      image.areRecorded(hashes, from, to, known);
      if (mayHaveToRenew(image) || (!server.visibleIsDurable() && !image.confirmed())) {
        Arrays.fill(known, from, to, false);
      }
    }
    return known;
  }

  @Override
  public @Nullable GenerationRecord newestIfAllKnown(long[] hashes) {
    if (followed.now().removable() || !areAll(true, haveRecorded(hashes), 0, hashes.length)) {
      return null;
    }
    Image image = mirror.leased() ? mirror.image() : null;
    Manifest manifest = image == null ? null : image.arrays().manifest();
    return manifest == null || manifest.target() != null ? null : manifest.newest();
  }

  @Override
  public Membership underLock(Tx tx, FilterHead head, long[] hashes) {
    Image image = loaded();
    catchUp(tx, head, image);
    return membership(image, hashes);
  }

  @Override
  public Optional<AtHead> presumed(
      @Nullable FilterHead expected, long[] hashes, Transactions reads) {
    Image image = loaded();
    if (expected != null && leadsTo(expected, image)) {
      return Optional.of(new AtHead(expected, membership(image, hashes), false));
    }
    Optional<Tail> tail =
        reads.ask(tx -> TailReader.tail(tx, followed.now(), image.cursor().seq()));
    if (tail.isEmpty() || tail.get().head().state() != FilterState.ACTIVE) {
      return Optional.empty();
    }
    FilterHead head = tail.get().head();
    List<JournalEntry> entries = tail.get().entries();
    if ((!entries.isEmpty() && !image.apply(entries)) || !leadsTo(head, image)) {
      throw new StaleException();
    }
    return Optional.of(new AtHead(head, membership(image, hashes), true));
  }

  private Image loaded() {
    Image image = mirror.image();
    if (image == null) {
      throw new StaleException();
    }
    return image;
  }

  private static boolean leadsTo(FilterHead head, Image image) {
    return image.cursor().equals(head.end());
  }

  private Membership membership(Image image, long[] hashes) {
    return Membership.in(image.arrays(), hashes, followed.now().renews(), image.unrecorded(hashes));
  }

  private void catchUp(Tx tx, FilterHead head, Image image) {
    while (!leadsTo(head, image)) {
      long cursor = image.cursor().seq();
      if (cursor >= head.lastSeq() || head.lastSeq() - cursor > MOST_ENTRIES_UNDER_LOCK) {
        throw new StaleException();
      }
      Tail tail = TailReader.tail(tx, followed.now(), cursor).orElseThrow();
      if (tail.entries().isEmpty() || !image.apply(tail.entries())) {
        throw new StaleException();
      }
    }
  }

  @Override
  public boolean wasAdded(long hash) {
    Image image = mirror.image();
    return image != null && image.wasAdded(hash);
  }

  @Override
  public KeysInCallerTransaction inTransaction() {
    return new MirrorInCallerTransaction(followed, mirror, catchUp, appendedByCallers);
  }

  @Override
  public CompletableFuture<Void> refresh() {
    return mirror.refresh();
  }

  @Override
  public void committed(FilterHead before, List<JournalEntry> appended) {
    Image image = mirror.image();
    if (image != null) {
      // If the entries do not fit anymore, a load that began meanwhile brings them in.
      image.apply(appended);
      image.confirm(before.lastSeq() + appended.size());
    }
  }

  @Override
  public boolean[] ask(long[] hashes, Supplier<Deadline> deadline) {
    boolean[] answers = new boolean[hashes.length];
    if (!askNow(hashes, answers)) {
      refreshedImage(deadline.get()).contains(hashes, 0, hashes.length, answers);
    }
    return answers;
  }

  /** Answers as much as possible without the database. Returns true if that is everything. */
  private boolean askNow(long[] hashes, boolean[] answers) {
    for (int from = 0; from < hashes.length; from += KEYS_PER_LOOK) {
      int to = Math.min(hashes.length, from + KEYS_PER_LOOK);
      long age = mirror.ageNanos();
      Image image = age < yesNanos ? mirror.image() : null;
      if (image == null) {
        return false;
      }
      image.contains(hashes, from, to, answers);
      if (age >= boundNanos && !areAll(true, answers, from, to)) {
        return false;
      }
    }
    return true;
  }

  private static boolean areAll(boolean wanted, boolean[] answers, int from, int to) {
    for (int i = from; i < to; i++) {
      if (answers[i] != wanted) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean[] members(long[] hashes, Supplier<Deadline> deadline) {
    boolean[] members = new boolean[hashes.length];
    Image image = mirror.image();
    if (image != null) {
      image.contains(hashes, 0, hashes.length, members);
    }
    return members;
  }

  /** Returns an image that holds everything that was committed before this call. */
  private Image refreshedImage(Deadline deadline) {
    while (true) {
      waiting.forOutcome(mirror::refresh, deadline);
      Image image = mirror.image();
      if (image != null) {
        return image;
      }
    }
  }

  @Override
  public MemoryAnswer askMemory(long hash) {
    long age = mirror.ageNanos();
    Image image = age < yesNanos ? mirror.image() : null;
    if (image != null) {
      if (image.contains(hash)) {
        return MemoryAnswer.PRESENT;
      }
      if (age < boundNanos) {
        return MemoryAnswer.ABSENT;
      }
    }
    return MemoryAnswer.UNKNOWN;
  }

  @Override
  public boolean askDatabase(long hash, Deadline deadline) {
    return refreshedImage(deadline).contains(hash);
  }
}
