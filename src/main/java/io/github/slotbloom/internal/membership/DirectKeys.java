package io.github.slotbloom.internal.membership;

import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.bits.Hashes;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.membership.KnownKeys.MemoryAnswer;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalChain;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.Tail;
import io.github.slotbloom.internal.store.journal.TailReader;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.Servers;
import io.github.slotbloom.internal.store.session.Transactions;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.SlotRows;
import io.github.slotbloom.internal.time.DatabaseClock;
import io.github.slotbloom.internal.time.Deadline;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the tables each time, and keeps nothing in memory.
 *
 * <p>The unfolded entries and the slots of a few keys are read in one statement. Of many keys, the
 * entries are read before the slots: in the other order, an entry that is folded in between would
 * be missed by both reads. The bits of both are merged, because a key that was once answered "seen"
 * by a false positive may have some bits in each.
 */
public final class DirectKeys implements KnownKeys {

  /** The statements that others wait for anyway can look up a few keys as well. */
  private static final int MOST_KEYS_UNDER_LOCK = 64;

  private final FollowedFilter followed;
  private final Servers servers;
  private final Background io;
  private final DatabaseClock clock;
  private final AwaitedReads reads;

  public DirectKeys(FollowedFilter followed, Servers servers, Background io, DatabaseClock clock) {
    this.followed = followed;
    this.servers = servers;
    this.io = io;
    this.clock = clock;
    this.reads = new AwaitedReads(followed.name(), io);
  }

  @Override
  public boolean knows(long hash) {
    return false;
  }

  @Override
  public boolean[] knowsEach(long[] hashes, Deadline deadline) {
    return new boolean[hashes.length];
  }

  @Override
  public @Nullable GenerationRecord newestIfAllKnown(long[] hashes) {
    return null;
  }

  @Override
  public Membership underLock(Tx tx, FilterHead head, long[] hashes) {
    FilterRecord filter = followed.requireUnchanged(tx);
    FilterBits bits = FilterBits.ofAll(filter, hashes);
    lookUp(tx, bits, unfolded(tx));
    return bits.membership(Membership.nothingRecorded(filter, hashes));
  }

  /**
   * Returns the keys that are not removed. Called while the transaction holds the lock on the head.
   */
  public long[] notRemovedUnderLock(Tx tx, long[] hashes) {
    if (!followed.now().removable() || hashes.length == 0) {
      return hashes;
    }
    FilterRecord filter = followed.requireUnchanged(tx);
    FilterBits bits = FilterBits.ofNone(filter, hashes);
    lookUp(tx, bits, unfolded(tx));
    Membership membership = bits.membership(null);
    return Hashes.where(hashes, i -> !membership.isRemoved(i));
  }

  @Override
  public UnderLock ahead(Transactions transactions, Supplier<long[]> hashes) {
    long[] expected = hashes.get();
    if (expected.length <= MOST_KEYS_UNDER_LOCK) {
      return this::underLock;
    }
    LookedUp found =
        read(transactions, tx -> lookUpUnlocked(tx, filter -> FilterBits.ofAll(filter, expected)));
    return (tx, head, wanted) ->
        Optional.of(found)
            .filter(lookedUp -> Arrays.equals(wanted, expected))
            .flatMap(lookedUp -> caughtUp(tx, head, lookedUp))
            .map(bits -> bits.membership(Membership.nothingRecorded(followed.now(), wanted)))
            .orElseGet(() -> underLock(tx, head, wanted));
  }

  /**
   * Returns the bits that were looked up, with the entries that others appended since. Empty if the
   * journal's history is another one now.
   */
  private Optional<FilterBits> caughtUp(Tx tx, FilterHead head, LookedUp found) {
    if (!found.filter().knows(head)) {
      return Optional.empty();
    }
    try {
      while (found.end().seq() < head.lastSeq()) {
        List<JournalEntry> entries = Journal.next(tx, found.filter(), found.end(), head.lastSeq());
        if (entries.isEmpty()) {
          return Optional.empty();
        }
        entries.forEach(found.bits()::addJournaled);
      }
      found.end().requireEnd(head);
      return Optional.of(found.bits());
    } catch (CorruptFilterException e) {
      // A failover happened in between. If it was not that, the next look-up finds the damage again
      // and reports it.
      return Optional.empty();
    }
  }

  @Override
  public Optional<AtHead> presumed(
      @Nullable FilterHead expected, long[] hashes, Transactions reads) {
    FilterRecord filter = followed.now();
    FilterBits bits = FilterBits.ofAll(filter, hashes);
    if (!bits.fitOneStatement()) {
      return Optional.empty();
    }
    return reads
        .ask(tx -> lookUpAtOnce(tx, filter, bits))
        .map(
            found ->
                new AtHead(
                    found.now(),
                    found.bits().membership(Membership.nothingRecorded(filter, hashes)),
                    true));
  }

  @Override
  public KeysInCallerTransaction inTransaction() {
    return new SlotsInCallerTransaction(followed);
  }

  /** Has nothing to catch up with. Looks for failures that no answer would show. */
  @Override
  public CompletableFuture<Void> refresh() {
    return io.run(() -> read(servers.primary()::transact, this::requireWithinBounds));
  }

  private boolean requireWithinBounds(Tx tx) {
    FilterHead head = followed.now().head();
    if (head.state() == FilterState.DROPPING || head.isOver()) {
      throw FilterNotReady.in(followed.name(), head);
    }
    for (GenerationRecord generation : followed.now().manifest().all()) {
      new SlotRows(generation).requireWithinBounds(tx);
    }
    return true;
  }

  @Override
  public void committed(FilterHead before, List<JournalEntry> appended) {}

  @Override
  public boolean[] ask(long[] hashes, Supplier<Deadline> begin) {
    Deadline deadline = begin.get();
    return lookUp(hashes, deadline).present();
  }

  /**
   * Returns what the active generations hold of some keys, and which of the keys are removed.
   *
   * @throws io.github.slotbloom.error.FilterUnavailableException if that could not be found out
   */
  public Membership lookUp(long[] hashes, Deadline deadline) {
    return reads.await(() -> read(tx -> membership(tx, hashes)), deadline);
  }

  @Override
  public MemoryAnswer askMemory(long hash) {
    return MemoryAnswer.UNKNOWN;
  }

  @Override
  public boolean askDatabase(long hash, Deadline deadline) {
    return ask(new long[] {hash}, () -> deadline)[0];
  }

  @Override
  public boolean[] members(long[] hashes, Supplier<Deadline> deadline) {
    return ask(hashes, deadline);
  }

  private Membership membership(Tx tx, long[] hashes) {
    long bucket = clock.bucketAtLeast(followed.now().window());
    return lookUpUnlocked(tx, filter -> FilterBits.ofRead(filter, hashes, bucket))
        .bits()
        .membership(null);
  }

  /**
   * Returns what the tables hold of some keys of the source, whether or not they are removed,
   * including all keys added before this call by any process.
   *
   * @throws io.github.slotbloom.error.FilterUnavailableException if that could not be found out
   * @throws io.github.slotbloom.error.ReplacementException if no generation is being filled anymore
   */
  SourceKeys sourceKeys(long[] hashes, Deadline deadline) {
    return reads.await(() -> read(tx -> sourceKeys(tx, hashes)), deadline);
  }

  private SourceKeys sourceKeys(Tx tx, long[] hashes) {
    LookedUp found = lookUpUnlocked(tx, filter -> FilterBits.ofAll(filter, hashes));
    return SourceKeys.of(followed.name(), found.bits().membership(null), found.now().end());
  }

  /**
   * The result of a look-up that was made while others could write.
   *
   * @param filter with the generations that were looked into
   * @param end the last entry that is in the bits
   * @param now the head, read after the bits
   */
  private record LookedUp(FilterRecord filter, FilterBits bits, JournalChain end, FilterHead now) {}

  private LookedUp lookUpUnlocked(Tx tx, Function<FilterRecord, FilterBits> wanted) {
    FilterRecord filter = followed.now();
    FilterBits bits = wanted.apply(filter);
    Optional<LookedUp> atOnce = lookUpAtOnce(tx, filter, bits);
    if (atOnce.isPresent()) {
      return atOnce.get();
    }
    while (true) {
      Tail tail = unfolded(tx);
      FilterHead head = tail.head();
      FilterNotReady.requireActive(followed.name(), head);
      try {
        JournalChain end = lookUp(tx, bits, tail);
        FilterHead now = followed.requireUnchanged(tx).head();
        if (filter.knows(now)) {
          return new LookedUp(filter, bits, end, now);
        }
      } catch (CorruptFilterException e) {
        // Entries may have been trimmed since a clear that came meanwhile.
        if (filter.knows(followed.requireUnchanged(tx).head())) {
          throw e;
        }
      }
      filter = followed.now();
      bits = wanted.apply(filter);
    }
  }

  /** Empty if one statement cannot tell. Those that follow tell more, or why they cannot. */
  private Optional<LookedUp> lookUpAtOnce(Tx tx, FilterRecord filter, FilterBits bits) {
    if (!bits.fitOneStatement()) {
      return Optional.empty();
    }
    return bits.addAtOnce(tx, filter)
        .map(
            tail -> {
              FilterNotReady.requireActive(filter.name(), tail.head());
              return new LookedUp(filter, bits, tail.chain(filter.name()), tail.head());
            });
  }

  private <T> T read(Function<Tx, T> look) {
    return read(servers::read, look);
  }

  /**
   * Reads, and looks again if a table is missing because its generation was replaced. Such a table
   * is dropped at some time.
   */
  private <T> T read(Transactions transactions, Function<Tx, T> look) {
    while (true) {
      FilterRecord filter = followed.now();
      try {
        return transactions.ask(look);
      } catch (DatabaseFailure e) {
        if (!e.tableMissing()
            || filter.knows(servers.primary().transact(followed::requireUnchanged).head())) {
          throw e;
        }
      }
    }
  }

  private Tail unfolded(Tx tx) {
    return TailReader.unfolded(tx, followed.now())
        .orElseThrow(() -> FilterNotReady.gone(followed.now()));
  }

  /** Returns the end of the journal that the bits have afterwards. */
  private JournalChain lookUp(Tx tx, FilterBits bits, Tail unfolded) {
    JournalChain end = forEachUnfolded(tx, unfolded, bits::addJournaled);
    bits.addSlots(tx);
    return end;
  }

  private JournalChain forEachUnfolded(Tx tx, Tail unfolded, Consumer<JournalEntry> sink) {
    JournalChain chain = unfolded.chain(followed.name());
    List<JournalEntry> entries = unfolded.entries();
    while (!entries.isEmpty()) {
      entries.forEach(sink);
      entries =
          chain.seq() < unfolded.head().lastSeq()
              ? Journal.next(tx, followed.now(), chain, Long.MAX_VALUE)
              : List.of();
    }
    if (chain.seq() <= unfolded.head().lastSeq()) {
      chain.requireEnd(unfolded.head());
    }
    return chain;
  }
}
