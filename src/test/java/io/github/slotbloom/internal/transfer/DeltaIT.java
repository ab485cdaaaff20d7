package io.github.slotbloom.internal.transfer;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.ExportBase;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.InvalidExportException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.replace.Rebuilding;
import io.github.slotbloom.internal.snapshot.SnapshotHeader;
import io.github.slotbloom.internal.snapshot.SnapshotReader;
import io.github.slotbloom.internal.snapshot.SnapshotSink;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.report.VerifyReport;
import io.github.slotbloom.testing.Backup;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.HeldReplacement;
import io.github.slotbloom.testing.Keys;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.QuietEngines;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.SetClock;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TappedConnections;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A base and its deltas make the filter that a full export makes; what does not fit is refused. */
@DatabaseContract(shortLeases = true)
@Timeout(300)
@Tag("mysql")
class DeltaIT {

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  @TempDir private Path folder;
  private int files;

  private static FilterSpec.Builder<String> spec() {
    return FilterSpec.builder(KeyType.text()).capacity(5000).falsePositiveRate(1e-6);
  }

  private static BloomFilter<String> filter(String... prefixes) {
    BloomFilter<String> filter = here.reserve(newName(), spec().build());
    for (String prefix : prefixes) {
      filter.addEach(keys(prefix, 100));
    }
    return filter;
  }

  private Path export(String name) throws IOException {
    Path file = folder.resolve(name + "." + ++files);
    here.admin(name).exportTo(file);
    return file;
  }

  private Path delta(String name, Path base) throws IOException {
    return delta(name, ExportBase.read(base));
  }

  private Path delta(String name, ExportBase base) throws IOException {
    Path file = folder.resolve(name + "." + ++files);
    here.admin(name).exportTo(base, file);
    return file;
  }

  /** Adds a hundred keys, and returns the delta that brings them. */
  private Path deltaWith(BloomFilter<String> filter, String keys, Path base) throws IOException {
    filter.addEach(keys(keys, 100));
    return delta(filter.name(), base);
  }

  private static String imported(Path... exports) throws IOException {
    String name = newName();
    for (Path export : exports) {
      there.importFrom(name, export);
    }
    return name;
  }

  /** All that an export says of a filter, however it is divided. */
  private record Contents(
      Map<String, Long> slots,
      NavigableSet<Long> removed,
      NavigableSet<Long> hashes,
      long keysAdded,
      long keysRemoved,
      Cursor last) {

    static Contents of(Path export) throws IOException {
      Map<String, Long> slots = new TreeMap<>();
      NavigableSet<Long> removed = new TreeSet<>();
      NavigableSet<Long> hashes = new TreeSet<>();
      try (SnapshotReader reader = new SnapshotReader(Files.newInputStream(export))) {
        reader.stream(
            new SnapshotSink() {
              @Override
              public void slot(int place, long slot, long bits) {
                slots.put(place + "/" + slot, bits);
              }

              @Override
              public void removed(long[] some) {
                LongStream.of(some).forEach(removed::add);
              }

              @Override
              public void hashes(long[] some) {
                LongStream.of(some).forEach(hashes::add);
              }
            });
        SnapshotHeader header = reader.header();
        return new Contents(
            slots, removed, hashes, header.keysAdded(), header.keysRemoved(), header.last());
      }
    }
  }

  private void assertSame(String copy, String name) throws IOException {
    assertThat(Contents.of(export(copy))).isEqualTo(Contents.of(export(name)));
    assertThat(there.admin(copy).verify()).matches(VerifyReport::sound, "sound");
  }

  @ParameterizedTest
  @CsvSource({"false, false", "true, false", "false, true", "true, true"})
  void aBaseAndItsDeltasAreTheFilterThatAFullExportIs(boolean retained, boolean removable)
      throws Exception {
    FilterSpec.Builder<String> spec = retained ? spec().retainHashes() : spec();
    BloomFilter<String> filter =
        here.reserve(newName(), removable ? spec.buildRemovable(50) : spec.build());
    filter.addEach(keys("a", 500));
    if (removable) {
      Removing.from(filter).removeEach(keys("a", 20));
    }
    Path base = export(filter.name());
    String copied = imported(base);
    List<BloomFilter<String>> copies =
        List.of(there.open(copied, KeyType.text()), Use.DIRECT.open(here, copied));
    assertThat(copies).allMatch(copy -> copy.mightContain("a50"));

    filter.addEach(keys("b", 500));
    if (removable) {
      // One comes back, one that came is removed, one comes back and is removed again.
      filter.addEach(keys("a", 10));
      Removing.from(filter).removeEach(List.of("a0", "b0"));
    }
    Path first = delta(filter.name(), base);
    there.importFrom(copied, first);
    assertSame(copied, filter.name());

    filter.addEach(keys("c", 500));
    if (removable) {
      Removing.from(filter).removeEach(keys("c", 7));
    }
    there.importFrom(copied, delta(filter.name(), first));
    assertSame(copied, filter.name());
    for (BloomFilter<String> copy : copies) {
      assertThat(copy.mightContainEach(keys("b", 500))[0]).isNotEqualTo(removable);
      assertThat(copy.mightContainEach(keys("c", 500))[499]).isTrue();
      assertThat(copy.mightContain("a0")).isNotEqualTo(removable);
      assertThat(copy.mightContain("a1")).isTrue();
    }
    // It lives on as any other.
    assertThat(copies.get(0).add("d")).isTrue();
    assertThat(filter.add("d")).isTrue();
    assertThat(there.info(copied).keysAdded()).isEqualTo(here.info(filter.name()).keysAdded());
  }

  @Test
  void deltasAreImportedInTheirOrderOnceOrMoreOften() throws Exception {
    BloomFilter<String> filter = filter("a");
    Path base = export(filter.name());
    Path first = deltaWith(filter, "b", base);
    Path second = deltaWith(filter, "c", first);
    Path both = delta(filter.name(), ExportBase.entry(1));
    Path nothing = delta(filter.name(), second);

    String copied = imported(base);
    assertThatThrownBy(() -> there.importFrom(copied, second))
        .isInstanceOf(FilterMismatchException.class)
        .hasMessageContainingAll(
            copied, filter.name(), "after entry 2", copied + " ends with entry 1", "between");
    there.importFrom(copied, first);
    there.importFrom(copied, first);
    assertThat(there.info(copied).keysAdded()).isEqualTo(200);
    there.importFrom(copied, second);
    there.importFrom(copied, first);
    there.importFrom(copied, nothing);
    assertSame(copied, filter.name());
    assertSame(imported(base, both), filter.name());
    assertSame(imported(base, first, both), filter.name());
    assertSame(imported(export(filter.name()), both, nothing), filter.name());
    // The export of a copy continues the same history.
    filter.addEach(keys("d", 100));
    there.importFrom(copied, delta(filter.name(), export(copied)));
    assertSame(copied, filter.name());
  }

  /** Does something before the first bytes are written. */
  private static OutputStream doing(OutputStream file, Runnable something) {
    AtomicBoolean done = new AtomicBoolean();
    return new FilterOutputStream(file) {
      @Override
      public void write(byte[] bytes, int from, int length) throws IOException {
        if (!done.getAndSet(true)) {
          something.run();
        }
        out.write(bytes, from, length);
      }
    };
  }

  @Test
  void entriesThatComeDuringAnExportBelongToTheNext() throws Exception {
    BloomFilter<String> filter = filter("a");
    Path base = export(filter.name());
    filter.addEach(keys("b", 100));
    Path first = folder.resolve("first");
    try (OutputStream file = Files.newOutputStream(first);
        OutputStream adding = doing(file, () -> filter.addEach(keys("c", 100)))) {
      here.admin(filter.name()).exportTo(ExportBase.read(base), adding);
    }
    String copied = imported(base, first);
    assertThat(there.info(copied).keysAdded()).isEqualTo(200);
    there.importFrom(copied, delta(filter.name(), first));
    assertSame(copied, filter.name());
  }

  private void assertNoDelta(String name, Path base, String... why) {
    assertThatThrownBy(() -> delta(name, base))
        .isInstanceOf(FilterMismatchException.class)
        .hasMessageContaining("Filter " + name + " cannot be exported since " + base.getFileName())
        .hasMessageContaining("Make a full export.")
        .hasMessageContainingAll(why);
  }

  @Test
  void aBaseOfAnotherFilterIsRefused() throws Exception {
    BloomFilter<String> filter = filter("a");
    BloomFilter<String> other = filter("a", "b");
    BloomFilter<String> fresh = filter();
    assertNoDelta(filter.name(), export(other.name()), other.name(), "ends with entry 1 by now");
    assertNoDelta(other.name(), export(filter.name()), filter.name(), "its entry 1 is not");
    assertNoDelta(filter.name(), export(fresh.name()), fresh.name(), "its entry 0 is not");
    assertThatThrownBy(() -> delta(filter.name(), ExportBase.entry(2)))
        .isInstanceOf(FilterMismatchException.class)
        .hasMessageContaining("since entry 2: its journal ends with entry 1");
    assertThatThrownBy(() -> ExportBase.entry(-1))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("-1");
  }

  @Test
  void aBaseBeforeAnotherGenerationOrAMergeIsRefused() throws Exception {
    BloomFilter<String> grown = filter("a");
    BloomFilter<String> cleared = filter("a");
    BloomFilter<String> merged = filter("a");
    BloomFilter<String> replaced = filter("a");
    Path beforeGrowth = export(grown.name());
    Path beforeClear = export(cleared.name());
    Path beforeMerge = export(merged.name());
    Path before = export(replaced.name());
    Path during;
    here.admin(grown.name()).grow(20_000);
    grown.addEach(keys("b", 100));
    here.admin(cleared.name()).clear();
    assertNoDelta(grown.name(), beforeGrowth, "entry 2 brings other generations");
    assertNoDelta(cleared.name(), beforeClear, "entry 2 brings a clear");
    try (HeldReplacement replacement =
        new HeldReplacement(here, replaced.name(), 6000, keys("a", 100))) {
      assertNoDelta(replaced.name(), before, "it is being replaced");
      during = export(replaced.name());
      replacement.finish();
    }
    assertNoDelta(replaced.name(), during, "entry 3 brings keys of a replacement");
    assertNoDelta(replaced.name(), before, "entry 2 brings other generations");
    // From then on deltas fit again.
    Path after = export(grown.name());
    grown.addEach(keys("c", 100));
    assertSame(imported(after, delta(grown.name(), after)), grown.name());

    here.admin(merged.name()).copyTo(merged.name() + "_copy");
    here.open(merged.name() + "_copy", KeyType.text()).add("z");
    here.admin(merged.name() + "_copy").mergeInto(merged.name());
    assertNoDelta(merged.name(), beforeMerge, "entry 2 brings keys of another filter");
  }

  @Test
  void aWindowHasNoDelta() throws Exception {
    String name = newName();
    here.reserve(name, spec().window(Duration.ofDays(3), 3).build()).add("a");
    assertNoDelta(name, export(name), "is a window");
  }

  @Test
  void aBaseFromBeforeTheJournalIsRefused() throws Exception {
    BloomFilter<String> filter = filter("a");
    Path base = export(filter.name());
    filter.addEach(keys("b", 100));
    Path next = export(filter.name());
    filter.addEach(keys("c", 100));
    here.admin(filter.name()).fold();
    sql.run(
        "DELETE FROM bloom_journal WHERE seq BETWEEN 1 AND 2 AND filter_id = ?",
        here.info(filter.name()).id());
    assertNoDelta(filter.name(), base, "no longer has entry 2", "entries are kept for 120 minutes");
    assertSame(imported(next, delta(filter.name(), next)), filter.name());
  }

  @Test
  @PossibleLog(KnownLogs.MIRROR_RELOADED)
  void aBaseOfALostHistoryIsRefused() throws Exception {
    BloomFilter<String> filter = here.reserve(newName(), spec().retainHashes().build());
    filter.addEach(keys("a", 1000));
    Backup failover = Backup.of(schema.dataSource(), filter.name());
    Path kept = export(filter.name());
    Path lost = folder.resolve("lost");
    try (OutputStream file = Files.newOutputStream(lost);
        OutputStream adding = doing(file, () -> filter.addEach(keys("lost", 100)))) {
      // It ends with the entry of the other one, and can have keys of the next.
      here.admin(filter.name()).exportTo(adding);
    }
    failover.restore(schema.dataSource());
    assertNoDelta(filter.name(), lost, "ends with entry 1 by now");
    filter.addEach(keys("b", 100));
    assertNoDelta(filter.name(), lost, "its entry 2 is not");
    assertSame(imported(kept, delta(filter.name(), kept)), filter.name());
  }

  @Test
  void aCopyThatWasChangedTakesNoDelta() throws Exception {
    BloomFilter<String> filter = filter("a");
    Path base = export(filter.name());
    Path delta = deltaWith(filter, "b", base);
    String added = imported(base);
    String cleared = imported(base);
    String grown = imported(base);
    BloomFilter<String> made = filter("a");
    there.open(added, KeyType.text()).add("other");
    there.admin(cleared).clear();
    there.admin(grown).grow(20_000);
    for (String changed : List.of(added, cleared, grown, made.name())) {
      long keys = there.info(changed).keysAdded();
      assertThatThrownBy(() -> there.importFrom(changed, delta))
          .isInstanceOf(FilterMismatchException.class)
          .hasMessageContainingAll("Filter " + changed, filter.name(), "under another name");
      assertThat(there.info(changed).keysAdded()).isEqualTo(keys);
      assertThat(there.open(changed, KeyType.text()).mightContain("b1")).isFalse();
    }
    assertThatThrownBy(() -> imported(delta))
        .isInstanceOf(FilterNotFoundException.class)
        .hasMessageContainingAll(filter.name(), "goes to entry 1");
    // What the delta brought may be changed.
    String copied = imported(base, delta);
    there.open(copied, KeyType.text()).add("other");
    assertThatCode(() -> there.importFrom(copied, delta)).doesNotThrowAnyException();
    assertThat(there.info(copied).keysAdded()).isEqualTo(201);
  }

  @Test
  void aDeltaThatIsGoneAgainIsNotTakenForPresent() throws Exception {
    BloomFilter<String> filter = filter("a");
    Path base = export(filter.name());
    Path delta = deltaWith(filter, "b", base);
    String cleared = imported(base, delta);
    there.admin(cleared).clear();
    String replaced = imported(base, delta);
    there
        .admin(replaced)
        .replace(6000, Keys.source(keys("a", 100)), ReplaceOptions.defaults().forced());
    there.admin(replaced).grow(20_000);
    for (String changed : List.of(cleared, replaced)) {
      assertThatThrownBy(() -> there.importFrom(changed, delta))
          .isInstanceOf(FilterMismatchException.class)
          .hasMessageContainingAll(changed, "cleared or replaced since", "under another name");
    }
    // These lose no key.
    String grown = imported(base, delta);
    there.admin(grown).grow(20_000);
    String merged = imported(base, delta);
    there.admin(filter.name()).mergeInto(merged);
    there.admin(merged).fold();
    String filled = imported(base, delta);
    List<String> both = new ArrayList<>(keys("a", 100));
    both.addAll(keys("b", 100));
    try (HeldReplacement replacement = new HeldReplacement(there, filled, 6000, both)) {
      for (String kept : List.of(grown, merged, filled)) {
        assertThatCode(() -> there.importFrom(kept, delta)).doesNotThrowAnyException();
        assertThat(there.open(kept, KeyType.text()).mightContain("b1")).isTrue();
      }
      replacement.finish();
    }
  }

  @Test
  void aDeltaIsPresentInACopyThatWasRebuilt() throws Exception {
    BloomFilter<String> filter = here.reserve(newName(), spec().retainHashes().build());
    filter.addEach(keys("a", 100));
    Path base = export(filter.name());
    Path delta = deltaWith(filter, "b", base);
    String rebuilt = imported(base, delta);
    there.admin(rebuilt).replace(6000, KeySource.journal(), ReplaceOptions.defaults());
    assertThatCode(() -> there.importFrom(rebuilt, delta)).doesNotThrowAnyException();
    assertThat(there.open(rebuilt, KeyType.text()).mightContain("b1")).isTrue();
  }

  @Test
  void aDeltaThatTheJournalNoLongerShowsIsRefusedWithTheNextStep() throws Exception {
    BloomFilter<String> filter = filter("a");
    Path base = export(filter.name());
    Path first = deltaWith(filter, "b", base);
    Path second = deltaWith(filter, "c", first);
    String newer = imported(export(filter.name()));
    String trimmed = imported(base, first, second);
    sql.run("DELETE FROM bloom_journal WHERE seq = 2 AND filter_id = ?", there.info(trimmed).id());
    for (String copied : List.of(newer, trimmed)) {
      assertThatThrownBy(() -> there.importFrom(copied, first))
          .isInstanceOf(FilterMismatchException.class)
          .hasMessageContainingAll("past the last entry", "no longer holds", "next delta");
    }
    Path third = deltaWith(filter, "d", second);
    for (String copied : List.of(newer, trimmed)) {
      there.importFrom(copied, third);
      assertSame(copied, filter.name());
    }
  }

  @Test
  void aCopyThatCannotBeUsedIsNotCalledMissing() throws Exception {
    BloomFilter<String> filter = filter("a");
    Path base = export(filter.name());
    Path delta = deltaWith(filter, "b", base);
    String expired = imported(base);
    there.admin(expired).expireAt(there.databaseTime().minus(Duration.ofDays(1)));
    assertThatThrownBy(() -> there.importFrom(expired, delta))
        .isInstanceOf(FilterNotFoundException.class)
        .hasMessageContainingAll(expired, "expired at", "slotbloom expire");
    there.admin(expired).neverExpire();
    there.importFrom(expired, delta);
    assertSame(expired, filter.name());

    String unfinished = imported(base);
    sql.run("UPDATE bloom_filter SET state = 'IMPORTING' WHERE name = ?", unfinished);
    assertThatThrownBy(() -> there.importFrom(unfinished, delta))
        .isInstanceOf(FilterNotFoundException.class)
        .hasMessageContainingAll(unfinished, "is being imported", "import the same export again");
  }

  @Test
  void aShorterFilterThatIsNoUnchangedCopyIsNotSentToOtherDeltas() throws Exception {
    BloomFilter<String> filter = filter("a", "b");
    Path base = export(filter.name());
    Path first = deltaWith(filter, "c", base);
    filter.addEach(keys("d", 100));
    filter.addEach(keys("e", 100));
    Path second = delta(filter.name(), ExportBase.entry(4));
    BloomFilter<String> other = filter("a");
    String cleared = imported(base);
    there.admin(cleared).clear();
    for (String copied : List.of(other.name(), cleared)) {
      assertThatThrownBy(() -> there.importFrom(copied, second))
          .isInstanceOf(FilterMismatchException.class)
          .hasMessageContainingAll(copied, "not made from that export", "under another name")
          .hasMessageNotContaining("in between");
    }
    String copied = imported(base, first);
    assertThatThrownBy(() -> there.importFrom(copied, second))
        .isInstanceOf(FilterMismatchException.class)
        .hasMessageContainingAll("deltas in between first", "If one of them is refused");
  }

  @Test
  void aDamagedDeltaChangesNothing() throws Exception {
    BloomFilter<String> filter = filter("a");
    Path base = export(filter.name());
    filter.addEach(keys("b", 100));
    byte[] delta = Files.readAllBytes(delta(filter.name(), base));
    String copied = imported(base);
    byte[] flipped = delta.clone();
    flipped[delta.length - 100] ^= 4;
    for (byte[] damaged : List.of(flipped, Arrays.copyOf(delta, delta.length - 1))) {
      assertThatThrownBy(() -> there.importFrom(copied, new ByteArrayInputStream(damaged)))
          .isInstanceOf(InvalidExportException.class);
    }
    assertThatThrownBy(() -> delta(filter.name(), Files.write(folder.resolve("flipped"), flipped)))
        .isInstanceOf(InvalidExportException.class);
    assertThat(there.info(copied).lastSequence()).isEqualTo(1);
    assertThat(there.open(copied, KeyType.text()).mightContain("b1")).isFalse();
    there.importFrom(copied, new ByteArrayInputStream(delta));
    assertSame(copied, filter.name());
  }

  /** Takes more than one transaction. */
  private static byte[] longDelta(BloomFilter<String> filter) throws IOException {
    for (String key : keys("b", 300)) {
      filter.add(key);
    }
    ByteArrayOutputStream delta = new ByteArrayOutputStream();
    here.admin(filter.name()).exportTo(ExportBase.entry(1), delta);
    return delta.toByteArray();
  }

  @Test
  void aFullDiskIsNotTakenForADamagedDelta() throws Exception {
    try (TemporaryFile full = new TemporaryFile(Path.of("/dev/full"))) {
      assertThatThrownBy(() -> full.write(1))
          .isInstanceOf(SlotBloomException.class)
          .hasMessageContaining("Cannot write a temporary file in /dev: No space left on device");
    }
    Path missing = folder.resolve("missing");
    assertThatThrownBy(() -> new TemporaryFile(missing.resolve("a")))
        .hasMessageContaining(missing + ": there is no such directory. Free space there, or");
  }

  @Test
  void aDeltaSurvivesALostAnswer() throws Exception {
    BloomFilter<String> filter = filter("a");
    Path base = export(filter.name());
    byte[] delta = longDelta(filter);
    for (int end : new int[] {257, 301}) {
      for (String outcome : List.of("COMMIT", "ROLLBACK")) {
        String copied = imported(base);
        TappedConnections tapped = new TappedConnections(schema.dataSource());
        try (SlotBloom bloom = SlotBloom.on(tapped.dataSource())) {
          tapped.loseCommit(
              "SELECT EXISTS (SELECT * FROM bloom_journal WHERE seq = "
                  + end
                  + " AND filter_id = "
                  + there.info(copied).id()
                  + ")",
              commit -> commit.execute(outcome));
          bloom.importFrom(copied, new ByteArrayInputStream(delta));
        }
        assertSame(copied, filter.name());
      }
    }
  }

  @Test
  void aDeltaThatIsRefusedMidwaySaysWhatWasTaken() throws Exception {
    BloomFilter<String> filter = filter("a");
    Path base = export(filter.name());
    byte[] delta = longDelta(filter);
    String copied = imported(base);
    BloomFilter<String> copy = there.open(copied, KeyType.text());
    TappedConnections tapped = new TappedConnections(schema.dataSource());
    try (SlotBloom bloom = SlotBloom.on(tapped.dataSource())) {
      tapped.loseCommit(
          "SELECT EXISTS (SELECT * FROM bloom_journal WHERE seq = 257 AND filter_id = "
              + there.info(copied).id()
              + ")",
          commit -> {
            commit.execute("COMMIT");
            copy.add("other");
          });
      assertThatThrownBy(() -> bloom.importFrom(copied, new ByteArrayInputStream(delta)))
          .isInstanceOf(FilterMismatchException.class)
          .hasMessageContainingAll("Entries 2 to 257 of this delta were taken in", "changed since");
    }
    assertThat(there.info(copied).keysAdded()).isEqualTo(100 + 256 + 1);
  }

  @Test
  void twoImportsAtOnceAreAsOne() throws Exception {
    BloomFilter<String> filter = filter("a");
    Path base = export(filter.name());
    byte[] delta = longDelta(filter);
    String copied = imported(base);
    CompletableFuture<?>[] imports =
        List.of(here, there).stream()
            .map(
                bloom ->
                    CompletableFuture.runAsync(
                        () -> {
                          try {
                            bloom.importFrom(copied, new ByteArrayInputStream(delta));
                          } catch (IOException e) {
                            throw new AssertionError(e);
                          }
                        }))
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(imports).join();
    assertSame(copied, filter.name());
  }

  @Test
  void aCopyIsNotRebuiltAutomaticallyBeforeItIsWritten() throws Exception {
    BloomFilter<String> filter = here.reserve(newName(), spec().retainHashes().buildRemovable(1));
    filter.addEach(keys("a", 2000));
    Removing.from(filter).removeEach(keys("a", 1500));
    Path base = export(filter.name());
    Path delta = deltaWith(filter, "b", base);
    filter.addEach(keys("c", 100));
    String copied = imported(base);
    Database database = Database.connect(schema.dataSource());
    try (FilterEngines engines = QuietEngines.on(database, new SetClock())) {
      FilterDirectory directory = FilterDirectory.connect(schema.dataSource(), new SetClock());
      FilterRecord copy = directory.require(new FilterName(copied));
      Rebuilding rebuilding = new Rebuilding(directory, engines);
      assertThat(rebuilding.rebuild(copy, () -> false)).isFalse();
      there.importFrom(copied, delta);
      assertThat(rebuilding.rebuild(copy, () -> false)).isFalse();
      there.importFrom(copied, delta(filter.name(), delta));
      assertSame(copied, filter.name());

      there.open(copied, KeyType.text()).add("other");
      // It has the delta, so this import changes nothing.
      there.importFrom(copied, delta);
      assertThat(rebuilding.rebuild(copy, () -> false)).isTrue();
      assertThat(there.info(copied).keysRemoved()).isZero();
    }
  }

  @Test
  void retainedHashesOfADeltaRebuildTheCopy() throws Exception {
    BloomFilter<String> filter = here.reserve(newName(), spec().retainHashes().build());
    filter.addEach(keys("a", 100));
    Path base = export(filter.name());
    filter.addEach(keys("b", 100));
    String copied = imported(base, delta(filter.name(), base));
    there.admin(copied).replace(9000, KeySource.journal(), ReplaceOptions.defaults());
    BloomFilter<String> copy = there.open(copied, KeyType.text());
    assertThat(copy.mightContainEach(keys("a", 100))).containsOnly(true);
    assertThat(copy.mightContainEach(keys("b", 100))).containsOnly(true);
  }
}
