package io.github.slotbloom.internal.store.journal;

import io.github.slotbloom.internal.store.Tables.Ends;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Says which of some hashes a filter that retains its hashes really holds, whatever their bits say.
 *
 * @param held for each hash, true if the filter holds it
 * @param counted for each hash, true if it was answered "new" and counted when it was added
 */
@SuppressWarnings("ArrayRecordComponent") // the arrays are passed on at once, and never compared
public record HeldHashes(boolean[] held, boolean[] counted) {

  /** What the journal says of a hash. */
  private static final class Trace {
    private boolean held;
    private boolean counted;

    /** True if what older places say is over. */
    private boolean decided;

    void take(JournalEntry.Kind kind) {
      switch (kind) {
        case ADD, RETURN -> set(true);
        case REMOVE -> set(false);
        case SEEN, FILL -> held = true;
        default -> {}
      }
    }

    private void set(boolean added) {
      held = added;
      counted = added;
      decided = true;
    }
  }

  /**
   * Looks hashes up. Reads the journal before the blocks, since hashes move from there to here.
   *
   * @param last number of the newest entry; needs the lock of the head, or the caller must find the
   *     same end of the journal afterwards
   */
  public static HeldHashes find(Tx tx, FilterRecord filter, long[] hashes, long last) {
    Map<Long, Trace> traces = new HashMap<>();
    for (long hash : hashes) {
      traces.put(hash, new Trace());
    }
    readJournal(tx, filter, last, traces);
    boolean[] held = new boolean[hashes.length];
    boolean[] counted = new boolean[hashes.length];
    for (int i = 0; i < hashes.length; i++) {
      Trace trace = Objects.requireNonNull(traces.get(hashes[i]));
      boolean inBlock = !trace.decided && HashBlocks.holds(tx, filter, hashes[i]);
      held[i] = trace.held || inBlock;
      counted[i] = trace.counted || inBlock;
    }
    return new HeldHashes(held, counted);
  }

  private static void readJournal(Tx tx, FilterRecord filter, long last, Map<Long, Trace> traces) {
    // The snapshot of a caller's transaction may be older than the lock.
    long visible =
        Math.min(
            last,
            tx.dsl()
                .select(Ends.LAST_SEQ)
                .from(Ends.TABLE)
                .where(Ends.of(filter.id()))
                .fetchSingle(Ends.LAST_SEQ));
    long seq = Journal.firstSeq(tx, filter.id()).orElse(visible + 1) - 1;
    while (seq < visible) {
      List<JournalEntry> page = Journal.held(tx, filter, seq, visible);
      if (page.isEmpty()) {
        break;
      }
      take(page, traces);
      seq = page.get(page.size() - 1).seq();
    }
    while (visible < last) {
      List<JournalEntry> page = new ArrayList<>(Journal.lockEntries(tx, filter, visible, last));
      take(page, traces);
      visible = Math.min(last, visible + JournalEntry.PAGE);
    }
  }

  private static void take(List<JournalEntry> entries, Map<Long, Trace> traces) {
    for (JournalEntry entry : entries) {
      for (long hash : entry.hashes()) {
        Trace trace = traces.get(hash);
        if (trace != null) {
          trace.take(entry.kind());
        }
      }
    }
  }
}
