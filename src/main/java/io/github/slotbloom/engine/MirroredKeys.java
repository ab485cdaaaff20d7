package io.github.slotbloom.engine;

import io.github.slotbloom.mirror.Image;
import io.github.slotbloom.mirror.Mirror;
import io.github.slotbloom.store.FilterHead;
import io.github.slotbloom.store.JournalEntry;
import io.github.slotbloom.store.Tail;
import io.github.slotbloom.store.Tx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Answers from the mirror, and asks the database only what others wrote since. */
final class MirroredKeys implements KnownKeys {

  /** A mirror further behind than this catches up before it takes the lock that others wait for. */
  private static final long MOST_ENTRIES_UNDER_LOCK = 128;

  private final FilterContext context;
  private final Mirror mirror;
  private final long boundNanos;
  private final Waiting waiting;
  private final MirrorCatchUp catchUp;

  /**
   * @param bound how old the knowledge behind a no may be; zero asks each time
   */
  MirroredKeys(FilterContext context, Mirror mirror, Duration bound) {
    this.context = context;
    this.mirror = mirror;
    this.boundNanos = bound.toNanos();
    this.waiting = new Waiting(context.name());
    this.catchUp = new MirrorCatchUp(mirror);
  }

  @Override
  public boolean knows(long hash) {
    if (!mirror.leased()) {
      return false;
    }
    Image image = mirror.image();
    return image != null
        && image.contains(hash)
        && (context.server().visibleIsDurable() || image.confirmed());
  }

  @Override
  public boolean[] underLock(Tx tx, FilterHead head, long[] hashes) {
    Image image = mirror.image();
    if (image == null || image.epoch() != head.epoch()) {
      throw new StaleException();
    }
    catchUp(tx, head, image);
    boolean[] present = new boolean[hashes.length];
    for (int i = 0; i < hashes.length; i++) {
      present[i] = image.contains(hashes[i]);
    }
    return present;
  }

  private void catchUp(Tx tx, FilterHead head, Image image) {
    while (!image.cursor().equals(head.end())) {
      long cursor = image.cursor().seq();
      if (cursor >= head.lastSeq() || head.lastSeq() - cursor > MOST_ENTRIES_UNDER_LOCK) {
        throw new StaleException();
      }
      Tail tail = context.journal().tail(tx, context.filter(), cursor).orElseThrow();
      if (tail.entries().isEmpty() || !image.apply(tail.entries())) {
        throw new StaleException();
      }
    }
  }

  @Override
  public KeysInTransaction inTransaction() {
    return new MirrorInTransaction(context, mirror, catchUp);
  }

  @Override
  public CompletableFuture<Void> refresh() {
    return mirror.refresh();
  }

  @Override
  public void committed(FilterHead before, List<JournalEntry> appended) {
    Image image = mirror.image();
    if (image != null && image.epoch() == before.epoch()) {
      // Where this does not fit any more, a load that began meanwhile brings it in.
      image.apply(appended);
      image.confirm(before.lastSeq() + appended.size());
    }
  }

  @Override
  public boolean[] ask(long[] hashes, Deadline deadline) {
    boolean[] answers = new boolean[hashes.length];
    if (askNow(hashes, answers)) {
      return answers;
    }
    do {
      waiting.forOutcome(mirror::refresh, deadline);
    } while (!fill(hashes, answers));
    return answers;
  }

  /** Answers what can be answered without the database; true if that is everything. */
  private boolean askNow(long[] hashes, boolean[] answers) {
    long age = mirror.ageNanos();
    if (age >= context.filter().lease().toNanos()) {
      return false;
    }
    return fill(hashes, answers) && (age < boundNanos || allTrue(answers));
  }

  private boolean fill(long[] hashes, boolean[] answers) {
    Image image = mirror.image();
    if (image == null) {
      return false;
    }
    for (int i = 0; i < hashes.length; i++) {
      answers[i] = image.contains(hashes[i]);
    }
    return true;
  }

  private static boolean allTrue(boolean[] answers) {
    for (boolean answer : answers) {
      if (!answer) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean ask(long hash, Deadline deadline) {
    while (true) {
      long age = mirror.ageNanos();
      if (age < context.filter().lease().toNanos()) {
        Image image = mirror.image();
        if (image != null) {
          if (image.contains(hash)) {
            return true;
          }
          if (age < boundNanos) {
            return false;
          }
        }
      }
      waiting.forOutcome(mirror::refresh, deadline);
      Image image = mirror.image();
      if (image != null) {
        return image.contains(hash);
      }
    }
  }
}
