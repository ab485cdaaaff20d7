package io.github.slotbloom.internal.store.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import io.github.slotbloom.internal.store.slots.MergedBits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The journal of a filter that has no bits, and a plain account of which of its generations took
 * which entry when it was written.
 */
final class PlayedJournal {

  static final TableNames TABLES = new TableNames(7, "a");
  static final Layout LAYOUT = Layout.BLOCKED;

  /** What may happen to the generations of a filter. */
  enum Change {
    GROW,
    BEGIN_FILLING,
    CUT_OVER,
    GIVE_UP,
    ROTATE,
    ROTATE_LATE,
    GO_ON,
    GO_ON_LATE,
    CLEAR
  }

  /** A generation, with the entries that it took. */
  private static final class Account {
    final int number;
    final long bucket;
    final Set<Long> entries = new TreeSet<>();

    Account(int number, long bucket) {
      this.number = number;
      this.bucket = bucket;
    }

    /** Returns what has the same entries from now on, in a later bucket. */
    Account in(long later) {
      Account same = new Account(number, later);
      same.entries.addAll(entries);
      return same;
    }
  }

  private final @Nullable Window window;
  private final List<JournalEntry> entries = new ArrayList<>();
  private final List<Manifest> manifests = new ArrayList<>();
  private final List<String> story = new ArrayList<>();
  private Cursor end = new Cursor(0, 0);
  private Manifest manifest;

  private List<Account> read = new ArrayList<>();
  private @Nullable Account target;
  private final Set<Account> begunWhileFilling = new TreeSet<>(PlayedJournal::compare);
  private long bucket = 100;

  /**
   * Begins a journal.
   *
   * @param made the number of generations that the filter is made with
   * @param buckets of a window; 0 if keys never expire
   */
  PlayedJournal(int made, int buckets) {
    window = buckets == 0 ? null : new Window(Duration.ofSeconds(buckets), buckets, false);
    List<GenerationRecord> first = new ArrayList<>();
    for (int number = 1; number <= made; number++) {
      first.add(generation(number, 0, 0));
      read.add(new Account(number, bucket));
    }
    manifest = Manifest.imported(first, made == 1 ? 0 : 77);
    manifests.add(manifest);
  }

  private static int compare(Account one, Account other) {
    return Integer.compare(one.number, other.number);
  }

  private GenerationRecord generation(int number, long since, long token) {
    return new GenerationRecord(
            number,
            since,
            token,
            100L * number,
            1.0 / (number + 2),
            new BloomParameters(LAYOUT, 512L * number, 1 + number % 64),
            TABLES.slots(number),
            0,
            null,
            false,
            null)
        .in(window == null ? null : new Bucket(bucket, window.buckets()));
  }

  @Nullable Window window() {
    return window;
  }

  /** Returns the manifest of now. */
  Manifest manifest() {
    return manifest;
  }

  /** Returns all manifests that there were, oldest first. */
  List<Manifest> manifests() {
    return manifests;
  }

  List<JournalEntry> entries() {
    return entries;
  }

  boolean isPossible(Change change) {
    return switch (change) {
      case GROW, CLEAR -> true;
      case BEGIN_FILLING -> window == null && target == null;
      case CUT_OVER, GIVE_UP -> target != null;
      case ROTATE, ROTATE_LATE, GO_ON -> window != null;
      // Where the newest generation has expired, it never goes on.
      case GO_ON_LATE -> window != null && window.buckets() >= 2;
    };
  }

  void play(Change change) {
    story.add(change.name());
    long seq = end.seq() + 1;
    long token = seq % 2 == 0 ? -1000 - seq : 1000 + seq;
    int next = manifest.next();
    manifest =
        switch (change) {
          case GROW -> {
            Account begun = new Account(next, bucket);
            begunWhileFilling.add(begun);
            read.add(begun);
            yield manifest.grown(generation(next, seq, token));
          }
          case BEGIN_FILLING -> {
            begunWhileFilling.clear();
            target = new Account(next, bucket);
            yield manifest.filling(generation(next, seq, token));
          }
          case CUT_OVER -> {
            read.retainAll(begunWhileFilling);
            read.add(0, Objects.requireNonNull(target));
            target = null;
            yield manifest.cutOver(seq, token);
          }
          case GIVE_UP -> {
            target = null;
            yield manifest.givenUp(seq, token);
          }
          case ROTATE, ROTATE_LATE -> {
            pass(change == Change.ROTATE ? 1 : 2);
            read.add(new Account(next, bucket));
            yield manifest.rotated(
                new KeyCounts(seq, seq % 3, seq % 5), generation(next, seq, token));
          }
          case GO_ON, GO_ON_LATE -> {
            Account newest = read.remove(read.size() - 1);
            pass(change == Change.GO_ON ? 1 : 2);
            read.add(newest.in(bucket));
            yield manifest.goingOn(seq, token, new Bucket(bucket, buckets()));
          }
          case CLEAR -> {
            read = new ArrayList<>(List.of(new Account(next, bucket)));
            target = null;
            yield manifest.cleared(generation(next, seq, token));
          }
        };
    manifests.add(manifest);
    append(JournalEntry.of(manifest, end));
  }

  /** Lets time pass, with which keys expire. */
  private void pass(int buckets) {
    bucket += buckets;
    read.removeIf(account -> account.bucket + buckets() < bucket);
  }

  private int buckets() {
    return Objects.requireNonNull(window).buckets();
  }

  /** Writes an entry with keys. */
  void write(Kind kind) {
    long seq = end.seq() + 1;
    story.add(kind.name());
    switch (kind) {
      case ADD, READD, RENEW -> {
        Account newest = read.get(read.size() - 1);
        newest.entries.add(seq);
        if (target != null && !begunWhileFilling.contains(newest)) {
          target.entries.add(seq);
        }
      }
      case REMOVE, RETURN, FILL -> {
        if (target != null) {
          target.entries.add(seq);
        }
      }
      default -> {}
    }
    append(new JournalEntry(seq, seq * 10, end.token(), kind, new long[] {seq}, null, null));
  }

  /** Writes an entry with bits of another filter, for a generation that answers. */
  void merge(int place) {
    story.add("MERGE");
    long seq = end.seq() + 1;
    read.get(place).entries.add(seq);
    MergedBits merged = MergedBits.of(manifest.read().get(place), new byte[0]);
    append(JournalEntry.merging(merged, end, seq * 10));
  }

  private void append(JournalEntry entry) {
    entries.add(entry);
    end = entry.cursor();
  }

  /**
   * Requires that the manifest of now has the generations of the account, and lets them take what
   * they took when it was written.
   */
  void requireThatTheNewestManifestTellsWhatWasTaken() {
    List<Account> all = new ArrayList<>(read);
    if (target != null) {
      all.add(target);
    }
    List<GenerationRecord> records = manifest.all();
    assertThat(records.stream().map(GenerationRecord::number))
        .as(this::toString)
        .containsExactlyElementsOf(all.stream().map(account -> account.number).toList());
    assertThat(manifest.read()).as(this::toString).hasSize(read.size());
    SortedMap<Integer, Set<Long>> taken = new TreeMap<>();
    all.forEach(account -> taken.put(account.number, account.entries));
    assertThat(takenUnder(manifest)).as(this::toString).isEqualTo(taken);
  }

  /** Returns which entries each generation takes under a manifest. */
  private SortedMap<Integer, Set<Long>> takenUnder(Manifest any) {
    SortedMap<Integer, Set<Long>> taken = new TreeMap<>();
    any.all().forEach(generation -> taken.put(generation.number(), new TreeSet<>()));
    for (JournalEntry entry : entries) {
      entry.forEachTaker(
          any,
          place -> {
            Set<Long> of = taken.get(any.all().get(place).number());
            assertThat(Objects.requireNonNull(of).add(entry.seq()))
                .as("entry %s once; %s", entry.seq(), this)
                .isTrue();
          });
    }
    return taken;
  }

  /** Returns the story so far. */
  @Override
  public String toString() {
    return "after %s in a window of %s: %s".formatted(story, window, manifest);
  }
}
