package io.github.slotbloom.engine;

import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.mirror.FilterNotReady;
import io.github.slotbloom.store.DatabaseFailure;
import io.github.slotbloom.store.FilterHead;
import io.github.slotbloom.store.FilterRecord;
import io.github.slotbloom.store.FilterState;
import io.github.slotbloom.store.GenerationRecord;
import io.github.slotbloom.store.GenerationSet;
import io.github.slotbloom.store.JournalChain;
import io.github.slotbloom.store.JournalEntry;
import io.github.slotbloom.store.SlotRows;
import io.github.slotbloom.store.Tail;
import io.github.slotbloom.store.Tx;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Asks the tables each time, and keeps nothing in memory.
 *
 * <p>The unfolded entries are read before the slots. In the other order an entry that is folded in
 * between is in neither. Their bits are merged: a key that was once answered "seen" by a false
 * positive may have its bits in both.
 */
final class DirectKeys implements KnownKeys {

  /** More than most pools have connections. */
  private static final int MOST_READS = 64;

  private final FilterContext context;
  private final Waiting waiting;
  private final LimitedReads reads;

  DirectKeys(FilterContext context) {
    this.context = context;
    this.waiting = new Waiting(context.name());
    this.reads = new LimitedReads(context.io(), MOST_READS);
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
  public Held underLock(Tx tx, FilterHead head, long[] hashes) {
    FilterRecord filter = context.requireUnchanged(tx);
    return lookUp(tx, FilterBits.ofAll(filter.set(), hashes), unfolded(tx))
        .held(Held.nothingRecorded(filter, hashes));
  }

  @Override
  public Optional<Held> presumed(FilterHead head, long[] hashes) {
    return Optional.empty();
  }

  @Override
  public KeysInTransaction inTransaction() {
    return new SlotsInTransaction(context);
  }

  /** There is nothing to catch up with. Looks for what no answer would show. */
  @Override
  public CompletableFuture<Void> refresh() {
    return CompletableFuture.runAsync(
        () -> context.database().transact(this::requireWithinBounds), context.io());
  }

  private boolean requireWithinBounds(Tx tx) {
    FilterState state = context.filter().head().state();
    if (state == FilterState.DROPPING) {
      throw FilterNotReady.in(context.filter().name(), state);
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
    return waiting.forOutcome(
        () -> reads.begin(() -> read(tx -> present(tx, hashes)), deadline), deadline);
  }

  @Override
  public boolean ask(long hash, Supplier<Deadline> deadline) {
    return ask(new long[] {hash}, deadline)[0];
  }

  private boolean[] present(Tx tx, long[] hashes) {
    return lookUpUnlocked(
        tx, set -> FilterBits.ofRead(set, hashes), (bits, head) -> bits.present());
  }

  /** As {@link SourceLookup#find}. */
  SourceKeys sourceKeys(long[] hashes, Deadline deadline) {
    return waiting.forOutcome(
        () -> CompletableFuture.supplyAsync(() -> read(tx -> sourceKeys(tx, hashes)), context.io()),
        deadline);
  }

  private SourceKeys sourceKeys(Tx tx, long[] hashes) {
    return lookUpUnlocked(tx, set -> FilterBits.ofAll(set, hashes), this::sourceKeys);
  }

  private SourceKeys sourceKeys(FilterBits bits, FilterHead head) {
    boolean[] lacking = bits.lacking();
    if (lacking == null) {
      throw SourceLookup.over(context.name());
    }
    return new SourceKeys(bits.present(), lacking, head.end());
  }

  /**
   * @param answer gets the bits, and a head that was read after them
   */
  private <T> T lookUpUnlocked(
      Tx tx,
      Function<GenerationSet, FilterBits> wanted,
      BiFunction<FilterBits, FilterHead, T> answer) {
    while (true) {
      Tail tail = unfolded(tx);
      FilterHead head = tail.head();
      if (head.state() != FilterState.ACTIVE) {
        throw FilterNotReady.in(context.filter().name(), head.state());
      }
      FilterRecord filter = context.filter();
      try {
        FilterBits bits = lookUp(tx, wanted.apply(filter.set()), tail);
        FilterHead now = context.requireUnchanged(tx).head();
        if (sameBits(filter, head, now)) {
          return answer.apply(bits, now);
        }
      } catch (CorruptFilterException e) {
        // A clear that began meanwhile takes the journal apart.
        if (sameBits(filter, head, context.requireUnchanged(tx).head())) {
          throw e;
        }
      }
    }
  }

  /** The table of a generation that was replaced is dropped some time. */
  private <T> T read(Function<Tx, T> look) {
    while (true) {
      FilterRecord filter = context.filter();
      try {
        return context.database().read(look);
      } catch (DatabaseFailure e) {
        if (!e.tableMissing()
            || filter.knows(context.database().transact(context::requireUnchanged).head())) {
          throw e;
        }
      }
    }
  }

  /** Whether the filter was neither cleared nor got other generations since it was looked at. */
  private static boolean sameBits(FilterRecord filter, FilterHead before, FilterHead now) {
    return now.epoch() == before.epoch() && filter.knows(now);
  }

  private Tail unfolded(Tx tx) {
    return context
        .journal()
        .unfolded(tx, context.filter())
        .orElseThrow(() -> FilterNotReady.gone(context.filter().name()));
  }

  private FilterBits lookUp(Tx tx, FilterBits bits, Tail unfolded) {
    forEachUnfolded(tx, unfolded, bits::addJournaled);
    bits.addSlots(tx);
    return bits;
  }

  private void forEachUnfolded(Tx tx, Tail unfolded, Consumer<JournalEntry> sink) {
    JournalChain chain = unfolded.chain(context.filter().name());
    List<JournalEntry> entries = unfolded.entries();
    while (!entries.isEmpty()) {
      entries.forEach(sink);
      entries =
          chain.seq() < unfolded.head().lastSeq()
              ? context.journal().next(tx, context.filter(), chain, Long.MAX_VALUE)
              : List.of();
    }
    if (chain.seq() <= unfolded.head().lastSeq()) {
      chain.requireEnd(unfolded.head());
    }
  }
}
