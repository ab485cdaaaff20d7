package io.github.slotbloom.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.schedule.World.Actor;
import io.github.slotbloom.schedule.World.Answer;
import io.github.slotbloom.schedule.World.Stop;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Plays the server by hand. */
@Timeout(60)
class WorldTest {

  private final CountDownLatch commit = new CountDownLatch(1);
  private final CountDownLatch grant = new CountDownLatch(1);
  private final AtomicInteger questions = new AtomicInteger();
  private final World world = new World(2, this::waiting);

  /**
   * Answers the first time that the second session waits, which is over by the time it is heard.
   */
  private Set<Long> waiting() {
    if (questions.incrementAndGet() > 1) {
      grant.countDown();
      return Set.of();
    }
    commit.countDown();
    await().until(() -> world.describe().contains("after COMMIT"));
    return Set.of(2L);
  }

  private void send(long session, CountDownLatch answer, String next) {
    world.sent(session);
    try {
      answer.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    world.answered();
    world.stop(Stop.STATEMENT, next);
  }

  /** Otherwise chance would decide whether whoever got the lock can be let go next. */
  @Test
  void nobodyWaitsForALockThatWasLetGoWhileTheServerWasAsked() throws Exception {
    world.schedule();
    world.begin(0, Stop.CALL, "COMMIT", () -> send(1, commit, "after COMMIT"));
    world.begin(1, Stop.CALL, "lock", () -> send(2, grant, "after lock"));
    for (Actor actor : world.quiet()) {
      world.release(actor, Answer.IN_TIME);
    }
    List<Actor> stopped = world.quiet();
    world.kill(0);
    world.kill(1);
    assertThat(stopped).extracting(Actor::what).containsExactly("after COMMIT", "after lock");
  }
}
