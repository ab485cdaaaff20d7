package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.core.Window;
import io.github.slotbloom.reliability.Operation.Answer;
import io.github.slotbloom.reliability.Operation.Kind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The checker accepts what may happen in a window, and finds each way in which it can be wrong. */
class WindowCheckerTest {

  private static final long KEY = 7;

  /** Stand for entries that begin a bucket: in a new generation, or in the one that there is. */
  private static final String ROTATE = "a new generation";

  private static final String GO_ON = "the same generation";

  private static final Duration LEASE = Duration.ofMillis(500);

  /** Keys are found for two seconds, and a bucket takes one. */
  private static final Window FIRST_SEEN = new Window(Duration.ofSeconds(2), 2, false);

  private static final Window RENEWING = new Window(Duration.ofSeconds(2), 2, true);

  @Test
  void aKeyThatIsFoundForItsTimeAndNewLaterIsFine() {
    assertThat(
            check(
                FIRST_SEEN,
                journal(rotate(10), add(), rotate(14), add()),
                add(10.1, 10.2, Answer.NEW),
                add(11.1, 11.2, Answer.SEEN),
                ask(12.0, 12.1, Answer.YES),
                ask(12.5, 12.6, Answer.NO),
                add(14.1, 14.2, Answer.NEW)))
        .isEmpty();
  }

  @Test
  void aKeyThatIsMissedWithinTheLengthIsFound() {
    List<JournalRow> journal = journal(rotate(10), add());
    assertThat(check(FIRST_SEEN, journal, add(10.1, 10.2, Answer.NEW), ask(11.5, 11.6, Answer.NO)))
        .singleElement()
        .asString()
        .startsWith("Lost");
    assertThat(check(FIRST_SEEN, journal, add(10.1, 10.2, Answer.NEW), ask(11.5, 12.2, Answer.NO)))
        .as("it may have looked when the key was over")
        .isEmpty();
  }

  @Test
  void aSeenKeyLivesLongerOnlyWhereKeysAreRenewed() {
    List<JournalRow> journal = journal(rotate(10), add(), rotate(12), entry("RENEW"));
    Operation[] history = {
      add(10.1, 10.2, Answer.NEW), add(12.0, 12.1, Answer.SEEN), ask(13.5, 13.6, Answer.NO)
    };
    assertThat(check(FIRST_SEEN, journal, history)).isEmpty();
    assertThat(check(RENEWING, journal, history)).singleElement().asString().startsWith("Lost");
  }

  @Test
  void aKeyThatIsFoundTooLateIsFound() {
    List<JournalRow> journal = journal(rotate(10), add());
    // The bucket of second 10 answers until 13, a lease longer from memory, and a slack of 0.1 s.
    assertThat(check(FIRST_SEEN, journal, add(10.1, 10.2, Answer.NEW), ask(13.4, 13.9, Answer.YES)))
        .isEmpty();
    assertThat(check(FIRST_SEEN, journal, add(10.1, 10.2, Answer.NEW), ask(13.7, 13.9, Answer.YES)))
        .singleElement()
        .asString()
        .startsWith("Its bucket expired");
  }

  @Test
  void aBucketThatGoesOnLetsItsKeysLiveLonger() {
    assertThat(
            check(
                FIRST_SEEN,
                journal(rotate(10), add(), goOn(12)),
                add(10.1, 10.2, Answer.NEW),
                ask(14.9, 15.0, Answer.YES)))
        .isEmpty();
  }

  @Test
  void twoWinnersWithinTheLengthAreFound() {
    assertThat(
            check(
                FIRST_SEEN,
                journal(rotate(10), add(), rotate(13), add()),
                add(10.9, 11.0, Answer.NEW),
                add(12.6, 12.7, Answer.NEW)))
        .anyMatch(violation -> violation.startsWith("Two winners within the length"));
  }

  @Test
  void twoWinnersOfOneEventAreFound() {
    assertThat(
            check(
                FIRST_SEEN,
                journal(rotate(10), add(), rotate(14), add()),
                offer(10.1, 10.2, Answer.NEW),
                offer(14.1, 14.2, Answer.NEW)))
        .anyMatch(violation -> violation.startsWith("Two winners of one event"));
  }

  @Test
  void aWinnerThatTheJournalLacksIsFound() {
    assertThat(check(FIRST_SEEN, journal(rotate(10)), add(10.1, 10.2, Answer.NEW)))
        .anyMatch(violation -> violation.startsWith("The journal holds 0 adds"));
  }

  @Test
  void aKeyThatNobodyAddedIsFound() {
    assertThat(check(FIRST_SEEN, journal(rotate(10)), ask(10.1, 10.2, Answer.YES)))
        .anyMatch(violation -> violation.startsWith("Nobody added it"));
  }

  @Test
  void theJournalMayNotAddAKeyThatIsThere() {
    assertThat(buckets(FIRST_SEEN, journal(rotate(10), add(), rotate(12), add())).violations())
        .singleElement()
        .asString()
        .contains("is new in entry");
    assertThat(buckets(FIRST_SEEN, journal(rotate(10), add(), rotate(13), add())).violations())
        .isEmpty();
  }

  private static List<String> check(Window window, List<JournalRow> journal, Operation... history) {
    return new WindowChecker(
            List.of(history),
            window,
            LEASE,
            buckets(window, journal),
            key -> key,
            TimeUnit.NANOSECONDS::toMicros)
        .check()
        .violations();
  }

  private static JournaledBuckets buckets(Window window, List<JournalRow> journal) {
    return new JournaledBuckets(journal, window.buckets());
  }

  /** Numbers the entries, and the generations that begin with them. */
  private static List<JournalRow> journal(JournalRow... rows) {
    List<JournalRow> journal = new ArrayList<>();
    int generation = 1;
    for (JournalRow row : rows) {
      int seq = journal.size() + 1;
      if (row.kind().equals(ROTATE) || row.kind().equals(GO_ON)) {
        generation += row.kind().equals(ROTATE) ? 1 : 0;
        long bucket = ByteBuffer.wrap(row.payload()).getLong();
        byte[] manifest = manifest(seq, generation, bucket).getBytes(StandardCharsets.US_ASCII);
        journal.add(new JournalRow(seq, 0, 0, "MANIFEST", manifest));
      } else {
        journal.add(new JournalRow(seq, 0, 0, row.kind(), row.payload()));
      }
    }
    return journal;
  }

  private static String manifest(int seq, int generation, long bucket) {
    return """
    {"seq":%s,"token":0,"begins":0,"next":%s,"generations":[{"generation":%s,"state":"ACTIVE",\
    "since":%1$s,"token":0,"capacity":9,"rate":0.01,"bits":64,"hashes":3,"bucket":%4$s}]}"""
        .formatted(seq, generation + 1, generation, bucket);
  }

  private static JournalRow rotate(long bucket) {
    return new JournalRow(0, 0, 0, ROTATE, bytes(bucket));
  }

  private static JournalRow goOn(long bucket) {
    return new JournalRow(0, 0, 0, GO_ON, bytes(bucket));
  }

  private static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  private static JournalRow add() {
    return entry("ADD");
  }

  private static JournalRow entry(String kind) {
    return new JournalRow(0, 0, 0, kind, bytes(KEY));
  }

  private static Operation add(double from, double to, Answer answer) {
    return operation(Kind.ADD, from, to, answer);
  }

  private static Operation offer(double from, double to, Answer answer) {
    return operation(Kind.OFFER, from, to, answer);
  }

  private static Operation ask(double from, double to, Answer answer) {
    return operation(Kind.ASK, from, to, answer);
  }

  private static Operation operation(Kind kind, double from, double to, Answer answer) {
    return new Operation(kind, answer, KEY, nanos(from), nanos(to), 0, 0);
  }

  private static long nanos(double seconds) {
    return Math.round(seconds * 1e9);
  }
}
