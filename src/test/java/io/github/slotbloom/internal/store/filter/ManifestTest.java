package io.github.slotbloom.internal.store.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.internal.store.filter.PlayedJournal.Change;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestTest {

  private static final int STORIES = 400;
  private static final GenerationRecord FIRST = generation(1, 0);
  private static final Manifest MADE = Manifest.first(FIRST);

  private static GenerationRecord generation(int number, long since) {
    return new GenerationRecord(
        number,
        since,
        since * 10,
        100,
        0.01,
        new BloomParameters(Layout.BLOCKED, 1024, 6),
        "bloom_bits_7_a_v" + number,
        0,
        null,
        false,
        null);
  }

  /** All changes that a filter can go through, with keys before and after each. */
  @ParameterizedTest
  @CsvSource({"1, 0, 7", "2, 0, 6", "1, 1, 6", "1, 2, 5", "1, 3, 5"})
  void theNewestManifestTellsWhatWasTakenAfterAnyFewChanges(int made, int buckets, int changes) {
    Map<Change, Integer> tried = new EnumMap<>(Change.class);
    goOn(made, buckets, changes, List.of(), tried);
    assertThat(tried).hasSize(buckets == 0 ? 5 : buckets == 1 ? 5 : 6);
  }

  private static void goOn(
      int made, int buckets, int left, List<Change> changes, Map<Change, Integer> tried) {
    PlayedJournal journal = new PlayedJournal(made, buckets);
    writeEach(journal);
    for (Change change : changes) {
      journal.play(change);
      writeEach(journal);
    }
    journal.requireThatTheNewestManifestTellsWhatWasTaken();
    for (Change change : Change.values()) {
      if (left > 0 && journal.isPossible(change)) {
        tried.merge(change, 1, Integer::sum);
        List<Change> more = new ArrayList<>(changes);
        more.add(change);
        goOn(made, buckets, left - 1, more, tried);
      }
    }
  }

  /** One of each kind of takers; those of other kinds are played at random. */
  private static void writeEach(PlayedJournal journal) {
    journal.write(Kind.ADD);
    journal.write(Kind.REMOVE);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void theNewestManifestTellsWhatWasTakenAfterManyChanges(long seed) {
    for (int story = 0; story < STORIES; story++) {
      playAtRandom(seed * 1_000_000 + story);
    }
  }

  @Test
  void theNewestManifestTellsWhatWasTakenAfterChangesThatNobodyThoughtOf() {
    long seed = new Random().nextInt();
    System.out.println("random manifests with the seed " + seed);
    for (int story = 0; story < STORIES; story++) {
      playAtRandom(seed * 1_000_000 + story);
    }
  }

  private static void playAtRandom(long seed) {
    RandomJournal random = new RandomJournal(seed);
    while (random.goesOn()) {
      random.step();
      random.journal().requireThatTheNewestManifestTellsWhatWasTaken();
    }
    requireThatTakersChangeWhereTheManifestSays(random.journal());
    requireThatManifestsFollowEachOther(random.journal());
  }

  private static void requireThatTakersChangeWhereTheManifestSays(PlayedJournal journal) {
    Manifest manifest = journal.manifest();
    for (Kind kind : List.of(Kind.ADD, Kind.FILL)) {
      for (long seq = 1; seq <= journal.entries().size(); seq++) {
        long last = manifest.lastWithSameTakers(seq);
        assertThat(last).isGreaterThanOrEqualTo(seq);
        long end = Math.min(last, journal.entries().size());
        for (long other = seq + 1; kind == Kind.ADD && other <= end; other++) {
          assertThat(takers(manifest, kind, other))
              .as("%s to %s, %s", seq, last, journal)
              .isEqualTo(takers(manifest, kind, seq));
        }
        if (kind == Kind.ADD && last < Long.MAX_VALUE) {
          assertThat(takers(manifest, kind, last + 1))
              .as("%s to %s, %s", seq, last, journal)
              .isNotEqualTo(takers(manifest, kind, seq));
        }
      }
    }
  }

  private static List<Integer> takers(Manifest manifest, Kind kind, long seq) {
    List<Integer> takers = new ArrayList<>();
    manifest.forEachTaker(kind.aim(), seq, takers::add);
    return takers;
  }

  private static void requireThatManifestsFollowEachOther(PlayedJournal journal) {
    List<Manifest> manifests = journal.manifests();
    for (int i = 1; i < manifests.size(); i++) {
      Manifest before = manifests.get(i - 1);
      Manifest next = manifests.get(i);
      JournalEntry entry = journal.entries().get((int) next.seq() - 1);
      assertThat(entry.manifest()).isSameAs(next);
      assertThat(before.orLater(entry.manifest())).isSameAs(next);
      assertThat(next.orLater(entry.manifest())).isSameAs(next);
      boolean clears = next.begins() == next.seq();
      for (Manifest older : manifests.subList(0, i)) {
        assertThat(next.begins()).isGreaterThanOrEqualTo(older.begins());
        assertThat(next.orLater(journal.manifest())).isSameAs(journal.manifest());
      }
      assertThat(next.begins() > before.begins()).isEqualTo(clears);
      assertThat(next.removedAfter()).isGreaterThanOrEqualTo(before.removedAfter());
      boolean begins = next.next() > before.next();
      GenerationRecord begun = next.begun();
      assertThat(begun != null).as("%s", next).isEqualTo(begins);
      if (begun != null) {
        assertThat(begun.number()).isEqualTo(before.next()).isEqualTo(next.next() - 1);
        assertThat(begun.sinceToken()).isEqualTo(next.token());
        assertThat(next.all()).contains(begun);
        assertThat(before.all()).noneMatch(begun::isSameAs);
      }
    }
  }

  @Test
  void whatTheFilterWasMadeWithTakesAllKeys() {
    assertThat(MADE.all()).containsExactly(FIRST);
    assertThat(MADE.next()).isEqualTo(2);
    assertThat(MADE.newest()).isEqualTo(FIRST);
    assertThat(MADE.begun()).isNull();
    assertThat(MADE.removedAfter()).isZero();
    assertThat(MADE.lastWithSameTakers(1)).isEqualTo(Long.MAX_VALUE);
    assertThat(takers(MADE, Kind.ADD, 1)).containsExactly(0);
    assertThat(takers(MADE, Kind.FILL, 1)).isEmpty();
  }

  @Test
  void aGenerationThatReplacedOthersTakesWhatWasWrittenWhileItWasFilled() {
    Manifest manifest = MADE.filling(generation(2, 3)).grown(generation(3, 6)).cutOver(9, 90);
    assertThat(manifest.all())
        .extracting(GenerationRecord::number, GenerationRecord::cutoverSeq)
        .containsExactly(tuple(2, 9L), tuple(3, 0L));
    assertThat(takers(manifest, Kind.ADD, 3)).as("before it began").isEmpty();
    assertThat(takers(manifest, Kind.ADD, 4)).containsExactly(0);
    assertThat(takers(manifest, Kind.ADD, 6)).containsExactly(0);
    assertThat(takers(manifest, Kind.ADD, 7)).containsExactly(1);
    for (Kind kind : List.of(Kind.FILL, Kind.REMOVE, Kind.RETURN)) {
      assertThat(takers(manifest, kind, 3)).isEmpty();
      assertThat(takers(manifest, kind, 4)).containsExactly(0);
      assertThat(takers(manifest, kind, 9)).containsExactly(0);
      assertThat(takers(manifest, kind, 10)).as("after the cut-over").isEmpty();
    }
    assertThat(manifest.lastWithSameTakers(1)).isEqualTo(3);
    assertThat(manifest.lastWithSameTakers(4)).isEqualTo(6);
    assertThat(manifest.lastWithSameTakers(7)).isEqualTo(Long.MAX_VALUE);
    assertThat(manifest.removedAfter()).isEqualTo(3);
  }

  @Test
  void onlyWhatBeginsDuringAReplacementOutlivesIt() {
    Manifest before = MADE.grown(generation(2, 3));
    Manifest filling = before.filling(generation(3, 5)).grown(generation(4, 7));
    assertThat(before.read()).allMatch(before::outlivesReplacement);
    assertThat(filling.read().stream().filter(filling::outlivesReplacement))
        .extracting(GenerationRecord::number)
        .containsExactly(4);
    assertThat(filling.all()).extracting(GenerationRecord::number).containsExactly(1, 2, 4, 3);
    assertThat(takers(filling, Kind.ADD, 4)).containsExactly(1);
    assertThat(takers(filling, Kind.ADD, 6)).containsExactly(1, 3);
    assertThat(takers(filling, Kind.ADD, 8)).containsExactly(2);
    assertThat(takers(filling, Kind.FILL, 8)).containsExactly(3);
    assertThat(takers(filling.givenUp(9, 90), Kind.ADD, 6)).containsExactly(1);
    assertThat(takers(filling.givenUp(9, 90), Kind.FILL, 8)).isEmpty();
  }

  @Test
  void bucketsThatExpireTakeTheirKeysAlong() {
    Manifest in10 = Manifest.first(FIRST.in(new Bucket(10, 2)));
    KeyCounts closed = new KeyCounts(5, 1, 2);
    Manifest in12 =
        in10.rotated(new KeyCounts(3, 0), generation(2, 3).in(new Bucket(11, 2)))
            .rotated(closed, generation(3, 5).in(new Bucket(12, 2)));
    assertThat(in12.read())
        .extracting(GenerationRecord::counts)
        .containsExactly(new KeyCounts(3, 0), closed, null);
    assertThat(in12.ofNewestBucket()).extracting(GenerationRecord::number).containsExactly(3);
    Manifest in13 = in12.goingOn(7, 70, new Bucket(13, 2));
    assertThat(in13.read()).extracting(GenerationRecord::number).containsExactly(2, 3);
    assertThat(in13.read()).extracting(GenerationRecord::wentOn).containsExactly(false, true);
    assertThat(in13.begun()).isNull();
    assertThat(in13.isWindow()).isTrue();
    assertThat(in13.removedAfter()).isEqualTo(3);
    assertThat(takers(in13, Kind.ADD, 3)).as("of the bucket that expired").isEmpty();
    assertThat(takers(in13, Kind.ADD, 4)).containsExactly(0);
    assertThat(takers(in13, Kind.RENEW, 8)).containsExactly(1);
    Manifest in99 = in13.rotated(closed, generation(4, 9).in(new Bucket(99, 2)));
    assertThat(in99.read()).extracting(GenerationRecord::number).containsExactly(4);
  }
}
