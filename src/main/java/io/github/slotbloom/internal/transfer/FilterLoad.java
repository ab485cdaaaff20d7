package io.github.slotbloom.internal.transfer;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.internal.admin.Dropping;
import io.github.slotbloom.internal.admin.Expiring;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.admin.SlotTables;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.failure.Retry;
import io.github.slotbloom.internal.snapshot.SnapshotHeader;
import io.github.slotbloom.internal.snapshot.SnapshotSink;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.FilterTable;
import io.github.slotbloom.internal.store.catalog.NewFilter;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.KeyCounts;
import io.github.slotbloom.internal.store.filter.RemovalRecord;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.journal.FoldState;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.internal.store.journal.ImportRows;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.RemovedRows;
import io.github.slotbloom.internal.store.slots.SlotMasks;
import io.github.slotbloom.internal.store.slots.SlotRows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes a filter out of what another one held: its rows first, in a state in which nobody can use
 * it, then slots and hashes in transactions of some size, and one last transaction that makes it
 * usable.
 *
 * <p>Each transaction leaves a mark in the fold row, and goes on only from the mark of the one
 * before: what a failover lost, or somebody else made of it meanwhile, ends the import. Not
 * thread-safe.
 */
final class FilterLoad implements SnapshotSink {

  private static final int ROWS_PER_TRANSACTION = 100_000;

  /** 8 MiB. */
  private static final int HASHES_AT_ONCE = 1 << 20;

  /** Longer than one of its transactions may take, with a database that is started again. */
  private static final Duration ABANDONED_AFTER = Retry.PATIENT.plusMinutes(1);

  private final FilterDirectory directory;
  private final FilterEngines engines;
  private final SnapshotHeader header;
  private final long token;
  private final FilterRecord filter;
  private FoldState left;
  private @Nullable FoldState sent;
  private boolean activated;
  private int place;
  private final long[] slots = new long[ROWS_PER_TRANSACTION];
  private int rowsHeld;
  private SlotMasks masks = new SlotMasks();
  private long[] hashes = new long[0];
  private int hashesHeld;
  private long keysRemoved;

  private FilterLoad(
      FilterDirectory directory,
      FilterEngines engines,
      SnapshotHeader header,
      FilterRecord filter,
      FoldState begun,
      long token) {
    this.directory = directory;
    this.engines = engines;
    this.header = header;
    this.filter = filter;
    this.left = begun;
    this.token = token;
  }

  /**
   * Begins a filter, and creates its tables.
   *
   * @throws io.github.slotbloom.error.FilterExistsException if there is one of that name
   */
  static FilterLoad begin(
      FilterDirectory directory, FilterEngines engines, FilterName name, SnapshotHeader header) {
    directory
        .ask(
            tx ->
                Catalog.find(tx, name)
                    .filter(f -> ImportRows.isAbandoned(tx, f.id(), f.head(), ABANDONED_AFTER)))
        .ifPresent(idle -> new Dropping(engines, idle).dropAbandonedImport(ABANDONED_AFTER));
    new Expiring(directory, engines).makeWay(name);
    long token = Tokens.next();
    FilterRecord filter =
        directory.ask(
            tx ->
                ImportRows.begin(
                    tx,
                    newFilter(name, header),
                    generations(header),
                    header.renewed(),
                    header.keysRenewed(),
                    header.last().seq(),
                    token));
    FoldState begun =
        directory.ask(tx -> ImportRows.lock(tx, filter.id(), token)).orElseThrow(() -> over(name));
    FilterLoad load = new FilterLoad(directory, engines, header, filter, begun, token);
    try {
      // The next import has other tables.
      new SlotTables(directory).makeFirst(load.tables(), "", "import");
      return load;
    } catch (RuntimeException e) {
      load.takeBack(e);
      throw e;
    }
  }

  private static NewFilter newFilter(FilterName name, SnapshotHeader header) {
    GenerationRecord first = header.generations().get(0);
    return new NewFilter(
        name,
        header.keyType(),
        header.hash(),
        header.seed(),
        header.growable(),
        header.retainHashes(),
        header.removablePercent(),
        header.capacity(),
        header.falsePositiveRate(),
        first.falsePositiveRate(),
        first.parameters(),
        header.onFull(),
        header.lease(),
        header.retention(),
        header.window(),
        null);
  }

  /** Returns them as if the filter had been made with them. */
  private static List<GenerationRecord> generations(SnapshotHeader header) {
    GenerationRecord newest = header.generations().get(header.generations().size() - 1);
    List<GenerationRecord> generations = new ArrayList<>();
    for (GenerationRecord each : header.generations()) {
      KeyCounts counted = each.countsOrNone();
      generations.add(
          GenerationRecord.first(
                  generations.size() + 1,
                  each.capacity(),
                  each.falsePositiveRate(),
                  each.parameters())
              .in(each.bucket())
              // All that was removed counts in the newest bucket.
              .counting(
                  newest.isInBucketOf(each)
                      ? null
                      : new KeyCounts(counted.keys(), 0, counted.renewed())));
    }
    return generations;
  }

  @Override
  public void removed(long[] more) {
    RemovedRows rows = new RemovedRows(filter);
    List<Long> due = LongStream.of(more).boxed().toList();
    // Removed by the newest entry, or by the first one, if there was none when the export began.
    List<Long> by = Collections.nCopies(more.length, Math.max(1, filter.head().lastSeq()));
    step(tx -> rows.put(tx, due, by));
    keysRemoved += more.length;
  }

  @Override
  public void slot(int ofPlace, long slot, long bits) {
    if (ofPlace != place || rowsHeld == ROWS_PER_TRANSACTION) {
      writeSlots();
      place = ofPlace;
    }
    slots[rowsHeld++] = slot;
    masks.accept(slot, bits);
  }

  private void writeSlots() {
    if (rowsHeld > 0) {
      long[] due = Arrays.copyOf(slots, rowsHeld);
      SlotRows table = new SlotRows(filter.generations().get(place));
      step(tx -> table.fill(tx, masks, due));
      rowsHeld = 0;
      masks = new SlotMasks();
    }
  }

  @Override
  public void hashes(long[] more) {
    writeSlots();
    if (hashesHeld + more.length > hashes.length) {
      writeHashes();
      if (more.length > hashes.length) {
        hashes = new long[Math.max(HASHES_AT_ONCE, more.length)];
      }
    }
    System.arraycopy(more, 0, hashes, hashesHeld, more.length);
    hashesHeld += more.length;
  }

  private void writeHashes() {
    long[] due = Arrays.copyOf(hashes, HashBlocks.sortDistinct(hashes, hashesHeld));
    int[] merged = {0};
    while (merged[0] < due.length) {
      int from = merged[0];
      step(tx -> merged[0] = HashBlocks.merge(tx, filter, due, from));
    }
    hashesHeld = 0;
  }

  /** Makes the filter usable. */
  void finish() {
    writeSlots();
    writeHashes();
    requireDone(
        directory.askPatiently(
            tx -> {
              Optional<FoldState> now = ImportRows.lock(tx, filter.id(), token);
              if (now.isEmpty()) {
                // Perhaps it was committed, and the answer was lost.
                return activated && isUsable(tx);
              }
              if (!now.get().equals(left)) {
                return false;
              }
              FilterTable.requireMade(tx, tables(), "Import");
              ImportRows.activate(
                  tx, filter, header.last().token(), header.keysAdded(keysRemoved), keysRemoved);
              activated = true;
              return true;
            }));
  }

  private boolean isUsable(Tx tx) {
    return Catalog.find(tx, filter)
        .filter(found -> found.head().state() == FilterState.ACTIVE)
        .isPresent();
  }

  /** Does something that may be repeated, in a transaction that leaves a mark. */
  private void step(Consumer<Tx> work) {
    sent = null;
    requireDone(
        directory.askPatiently(
            tx -> {
              Optional<FoldState> now = ImportRows.lock(tx, filter.id(), token);
              if (now.isPresent() && now.get().equals(sent)) {
                // It was committed, and the answer was lost.
                return true;
              }
              if (now.isEmpty() || !now.get().equals(left)) {
                return false;
              }
              work.accept(tx);
              sent = FoldRows.mark(tx, filter.id());
              return true;
            }));
    left = Objects.requireNonNull(sent);
    sent = null;
  }

  /** Called outside of the transaction, which would be tried again if this were thrown in it. */
  private void requireDone(boolean done) {
    if (!done) {
      throw over(filter.name());
    }
  }

  private static FilterUnavailableException over(FilterName name) {
    return new FilterUnavailableException(
        ("The import of filter %s cannot continue: the filter was dropped, or the database lost a"
                + " part of it in a failover. Import it again.")
            .formatted(name),
        null);
  }

  private List<FilterTable> tables() {
    RemovalRecord removal = filter.removal();
    return Stream.concat(
            filter.generations().stream().map(each -> FilterTable.ofSlots(each.slotTable())),
            Stream.ofNullable(removal).map(each -> FilterTable.ofRemoved(each.table())))
        .toList();
  }

  /** Leaves nothing behind of what cannot be finished. */
  void takeBack(Throwable reason) {
    try {
      if (directory.ask(tx -> ImportRows.lock(tx, filter.id(), token)).isPresent()) {
        new Dropping(engines, filter).drop();
        return;
      }
    } catch (RuntimeException e) {
      reason.addSuppressed(e);
    }
    // Whoever dropped the filter may have looked for its tables before they were there.
    new SlotTables(directory).dropOrphans(filter.id(), tables(), reason);
  }
}
