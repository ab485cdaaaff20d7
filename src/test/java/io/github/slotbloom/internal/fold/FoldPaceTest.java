package io.github.slotbloom.internal.fold;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.testing.StandingClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FoldPaceTest {

  private static final long LIMIT = 1000;

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final StandingClock clock = new StandingClock();
  private final Backlog backlog = new Backlog(LIMIT);
  private final FoldPace pace = new FoldPace(clock, backlog);
  private long end;
  private long folded;

  private void append(int entries, long keys) {
    end += entries;
    backlog.heard(end, folded);
    pace.appended(keys);
  }

  private void hear(int entries) {
    end += entries;
    backlog.heard(end, folded);
  }

  private void fold(Duration took) {
    pace.worked(took.toNanos() / 2);
    pace.worked(took.toNanos() / 2);
    folded = end;
    backlog.folded(end);
    pace.folded();
  }

  /** Returns after how many tenths of a second, with an entry in each, a batch is due. */
  private int tenthsUntilDue(boolean own, int most) {
    for (int tenths = 0; tenths < most; tenths++) {
      if (own) {
        append(1, 1);
      } else {
        hear(1);
      }
      if (pace.nanosToWait() == 0) {
        return tenths;
      }
      clock.advance(Duration.ofMillis(100));
    }
    return most;
  }

  private void assertRests() {
    assertThat(pace.nanosToWait()).isEqualTo(FoldPace.LOOK_NANOS);
  }

  private void assertFoldsNow() {
    assertThat(pace.nanosToWait()).isZero();
  }

  @Test
  void anIdleProcessLooksAtTheDatabase() {
    assertFoldsNow();
  }

  @Test
  void keysAreFoldedOnceNoMoreCome() {
    append(3, 3);
    assertRests();
    clock.advance(SECOND);
    assertFoldsNow();
  }

  @Test
  void aSteadyFlowIsFoldedEverySecondIfThatIsCheap() {
    assertThat(tenthsUntilDue(true, 100)).isEqualTo(10);
    fold(Duration.ofMillis(20));
    assertThat(tenthsUntilDue(true, 100)).isEqualTo(10);
  }

  @Test
  void foldingOfASteadyFlowTakesATenthOfTheTime() {
    append(1, 1);
    fold(Duration.ofSeconds(2));
    assertThat(tenthsUntilDue(true, 240)).isEqualTo(180);
    fold(Duration.ofSeconds(1));
    assertThat(tenthsUntilDue(true, 240)).isEqualTo(90);
  }

  @Test
  void aBurstOfKeysIsNotFoldedInItsFirstSeconds() {
    append(1, FoldPace.KEYS_OF_BURST);
    assertThat(tenthsUntilDue(true, 200)).isEqualTo(100);
    fold(Duration.ofMillis(20));
    append(1, FoldPace.KEYS_OF_BURST);
    assertThat(tenthsUntilDue(true, 200)).isEqualTo(100);
  }

  @Test
  void theRestAfterAnIdleTimeBeginsWithTheFirstKey() {
    append(1, 1);
    fold(Duration.ofMillis(20));
    clock.advance(Duration.ofHours(1));
    assertFoldsNow();
    append(1, FoldPace.KEYS_OF_BURST);
    assertThat(tenthsUntilDue(true, 200)).isEqualTo(100);
  }

  @Test
  void theRestEndsWhenTheFilterIsClosed() {
    append(1, 1);
    fold(Duration.ofSeconds(20));
    append(1, 1);
    pace.closing();
    assertFoldsNow();
  }

  @Test
  void manyKeysRestWhenTheFilterIsClosedUntilNobodyAdds() {
    append(1, FoldPace.KEYS_OF_BURST);
    pace.closing();
    assertRests();
    clock.advance(SECOND);
    assertFoldsNow();
  }

  @Test
  void theRestEndsAtAQuarterOfTheBacklogLimitOrWhenManyKeysWait() {
    append(1, 1);
    fold(Duration.ofSeconds(20));
    append((int) LIMIT / 4 - 1, 1);
    assertRests();
    append(1, 1);
    assertFoldsNow();
    fold(Duration.ofSeconds(20));
    append(1, FoldPace.MOST_KEYS - 1);
    assertRests();
    append(1, 1);
    assertFoldsNow();
  }

  @Test
  void noRestIsLongerThanFiveMinutes() {
    append(1, 1);
    fold(Duration.ofHours(1));
    append(1, 1);
    assertRests();
    int tenths = 0;
    do {
      // Two entries take turns at the end, so that the backlog stays short.
      end += tenths % 2 == 0 ? 1 : -1;
      backlog.heard(end, folded);
      clock.advance(Duration.ofMillis(100));
      tenths++;
    } while (pace.nanosToWait() > 0);
    assertThat(tenths).isEqualTo(3000);
  }

  @Test
  void aProcessThatDoesNotAddLeavesFoldingToThoseThatDo() {
    assertThat(tenthsUntilDue(false, 200)).isEqualTo(100);
  }

  @Test
  void aFoldOfAnotherProcessBeginsARest() {
    append(1, 1);
    fold(Duration.ofSeconds(1));
    assertThat(tenthsUntilDue(true, 50)).isEqualTo(50);
    folded = end;
    hear(1);
    assertThat(tenthsUntilDue(true, 200)).isEqualTo(90);
  }

  @Test
  void aBatchUnderWayGoesOn() {
    append(1, 1);
    pace.worked(1);
    assertFoldsNow();
  }

  @Test
  void pausesAfterFailuresGrowToTwoSeconds() {
    append(1, 1);
    assertRests();
    clock.advance(SECOND);
    long wait = 0;
    for (int failures = 0; failures < 10; failures++) {
      pace.failed();
      assertThat(pace.nanosToWait()).isGreaterThanOrEqualTo(wait);
      wait = pace.nanosToWait();
      clock.advance(Duration.ofNanos(wait));
      assertFoldsNow();
    }
    assertThat(wait).isEqualTo(Duration.ofSeconds(2).toNanos());
    fold(SECOND);
    append(1, 1);
    pace.failed();
    assertThat(pace.nanosToWait()).isEqualTo(Duration.ofMillis(100).toNanos());
  }
}
