package io.github.slotbloom.internal.ask;

import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.internal.bits.Hashes;
import io.github.slotbloom.internal.context.FilterContext;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.GenerationSet;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalChain;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.Tail;
import io.github.slotbloom.internal.store.journal.TailReader;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.SlotRows;
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

  private final FilterContext context;
  private final AwaitedReads reads;

  public DirectKeys(FilterContext context) {
    this.context = context;
    this.reads = new AwaitedReads(context);
  }

  @Override
  public boolean knows(long hash) {
    return false;
  }

  @Override
  public boolean[] knowsEach(long[] hashes) {
    return new boolean[hashes.length];
  }

  @Override
  public @Nullable GenerationRecord newestIfAllKnown(long[] hashes) {
    return null;
  }

  @Override
  public Membership underLock(Tx tx, FilterHead head, long[] hashes) {
    FilterRecord filter = context.requireUnchanged(tx);
    FilterBits bits = FilterBits.ofAll(filter.set(), filter, hashes);
    lookUp(tx, bits, unfolded(tx));
    return bits.membership(Membership.nothingRecorded(filter, hashes));
  }

  /**
   * Returns the keys that are not removed. Called while the transaction holds the lock on the head.
   */
  public long[] notRemovedUnderLock(Tx tx, long[] hashes) {
    if (!context.filter().removable() || hashes.length == 0) {
      return hashes;
    }
    FilterRecord filter = context.requireUnchanged(tx);
    FilterBits bits = FilterBits.ofNone(filter.set(), filter, hashes);
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
        read(
            transactions,
            tx -> lookUpUnlocked(tx, set -> ofAll(set, expected), Function.identity()));
    return (tx, head, wanted) ->
        Optional.of(found)
            .filter(lookedUp -> Arrays.equals(wanted, expected))
            .flatMap(lookedUp -> caughtUp(tx, head, lookedUp))
            .map(bits -> bits.membership(Membership.nothingRecorded(context.filter(), wanted)))
            .orElseGet(() -> underLock(tx, head, wanted));
  }

  /**
   * Returns the bits that were looked up, with the entries that others appended since. Empty if the
   * journal's history is another one now.
   */
  private Optional<FilterBits> caughtUp(Tx tx, FilterHead head, LookedUp found) {
    if (!sameBits(found.filter(), found.now(), head)) {
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
    FilterRecord filter = context.filter();
    FilterBits bits = ofAll(filter.set(), hashes);
    if (!bits.fitOneStatement()) {
      return Optional.empty();
    }
    return reads
        .run(tx -> lookUpAtOnce(tx, filter, bits))
        .map(
            found ->
                new AtHead(
                    found.now(),
                    found.bits().membership(Membership.nothingRecorded(filter, hashes)),
                    true));
  }

  @Override
  public KeysInCallerTransaction inTransaction() {
    return new SlotsInCallerTransaction(context);
  }

  /** Has nothing to catch up with. Looks for failures that no answer would show. */
  @Override
  public CompletableFuture<Void> refresh() {
    return context.io().run(() -> context.database().transact(this::requireWithinBounds));
  }

  private boolean requireWithinBounds(Tx tx) {
    FilterHead head = context.filter().head();
    if (head.state() == FilterState.DROPPING || head.isOver()) {
      throw FilterNotReady.in(context.filter().name(), head);
    }
    for (GenerationRecord generation : context.filter().set().all()) {
      new SlotRows(generation).requireWithinBounds(tx);
    }
    return true;
  }

  @Override
  public void committed(FilterHead before, List<JournalEntry> appended) {}

  @Override
  public boolean[] ask(long[] hashes, Supplier<Deadline> begin) {
    Deadline deadline = begin.get();
    return reads.await(() -> read(tx -> present(tx, hashes)), deadline);
  }

  /**
   * Returns what the generations that answer hold of some keys, and which of the keys are removed.
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

  private boolean[] present(Tx tx, long[] hashes) {
    return membership(tx, hashes).present();
  }

  private Membership membership(Tx tx, long[] hashes) {
    return lookUpUnlocked(
        tx,
        set -> FilterBits.ofRead(set, context.filter(), hashes, context.bucketAtLeast()),
        found -> found.bits().membership(null));
  }

  private FilterBits ofAll(GenerationSet set, long[] hashes) {
    return FilterBits.ofAll(set, context.filter(), hashes);
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
    return lookUpUnlocked(tx, set -> ofAll(set, hashes), this::sourceKeys);
  }

  private SourceKeys sourceKeys(LookedUp found) {
    return SourceKeys.of(
        context.name(), found.bits().haveBits(), found.bits().lacking(), found.now().end());
  }

  /**
   * The result of a look-up that was made while others could write.
   *
   * @param filter with the generations that were looked into
   * @param end the last entry that is in the bits
   * @param now the head, read after the bits
   */
  private record LookedUp(FilterRecord filter, FilterBits bits, JournalChain end, FilterHead now) {}

  private <T> T lookUpUnlocked(
      Tx tx, Function<GenerationSet, FilterBits> wanted, Function<LookedUp, T> answer) {
    FilterRecord filter = context.filter();
    FilterBits bits = wanted.apply(filter.set());
    Optional<LookedUp> atOnce = lookUpAtOnce(tx, filter, bits);
    if (atOnce.isPresent()) {
      return answer.apply(atOnce.get());
    }
    while (true) {
      Tail tail = unfolded(tx);
      FilterHead head = tail.head();
      FilterNotReady.requireActive(context.filter().name(), head);
      try {
        JournalChain end = lookUp(tx, bits, tail);
        FilterHead now = context.requireUnchanged(tx).head();
        if (sameBits(filter, head, now)) {
          return answer.apply(new LookedUp(filter, bits, end, now));
        }
      } catch (CorruptFilterException e) {
        // A clear that began meanwhile removes entries from the journal.
        if (sameBits(filter, head, context.requireUnchanged(tx).head())) {
          throw e;
        }
      }
      filter = context.filter();
      bits = wanted.apply(filter.set());
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
    return read(context.servers()::read, look);
  }

  /**
   * Reads, and looks again if a table is missing because its generation was replaced. Such a table
   * is dropped at some time.
   */
  private <T> T read(Transactions transactions, Function<Tx, T> look) {
    while (true) {
      FilterRecord filter = context.filter();
      try {
        return transactions.run(look);
      } catch (DatabaseFailure e) {
        if (!e.tableMissing()
            || filter.knows(context.database().transact(context::requireUnchanged).head())) {
          throw e;
        }
      }
    }
  }

  /**
   * Returns true if the filter was neither cleared nor given other generations since it was read.
   */
  private static boolean sameBits(FilterRecord filter, FilterHead before, FilterHead now) {
    return now.epoch() == before.epoch() && filter.knows(now);
  }

  private Tail unfolded(Tx tx) {
    return TailReader.unfolded(tx, context.filter())
        .orElseThrow(() -> FilterNotReady.gone(context.filter()));
  }

  /** Returns the end of the journal that the bits have afterwards. */
  private JournalChain lookUp(Tx tx, FilterBits bits, Tail unfolded) {
    JournalChain end = forEachUnfolded(tx, unfolded, bits::addJournaled);
    bits.addSlots(tx);
    return end;
  }

  private JournalChain forEachUnfolded(Tx tx, Tail unfolded, Consumer<JournalEntry> sink) {
    JournalChain chain = unfolded.chain(context.filter().name());
    List<JournalEntry> entries = unfolded.entries();
    while (!entries.isEmpty()) {
      entries.forEach(sink);
      entries =
          chain.seq() < unfolded.head().lastSeq()
              ? Journal.next(tx, context.filter(), chain, Long.MAX_VALUE)
              : List.of();
    }
    if (chain.seq() <= unfolded.head().lastSeq()) {
      chain.requireEnd(unfolded.head());
    }
    return chain;
  }
}
