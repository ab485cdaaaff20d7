package io.github.slotbloom.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.testing.ExpectedLog;
import java.lang.reflect.Proxy;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class SecondariesTest {

  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private final AtomicInteger attempts = new AtomicInteger();
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 10);
  private final Secondaries secondaries = new Secondaries(unreachable(), "group", now::get);

  private DataSource unreachable() {
    return (DataSource)
        Proxy.newProxyInstance(
            SecondariesTest.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              attempts.incrementAndGet();
              throw new SQLTransientConnectionException("down", "08001");
            });
  }

  private boolean isAnswered() {
    return secondaries.read(tx -> true).isPresent();
  }

  /** Otherwise questions would wait for a connection that cannot be made. */
  @Test
  @ExpectedLog("^WARN Secondaries - no secondary answers, so the primary is asked: .*down")
  void afterAFailureTheyAreTriedEveryFiveSecondsAndNoQuestionWaits() {
    secondaries.begin();
    assertThat(attempts).hasValue(1);
    now.addAndGet(Duration.ofMillis(4999).toNanos());
    secondaries.tryAgain(waiting::add);
    assertThat(waiting).isEmpty();
    now.addAndGet(Duration.ofMillis(1).toNanos());
    secondaries.tryAgain(waiting::add);
    secondaries.tryAgain(waiting::add);
    assertThat(waiting).hasSize(1);
    assertThat(isAnswered()).isFalse();
    assertThat(attempts).hasValue(1);
    waiting.remove().run();
    assertThat(attempts).hasValue(2);
    secondaries.tryAgain(waiting::add);
    assertThat(waiting).isEmpty();
    now.addAndGet(Duration.ofSeconds(5).toNanos());
    secondaries.tryAgain(waiting::add);
    assertThat(waiting).hasSize(1);
  }

  @Test
  @ExpectedLog("^WARN Secondaries - no secondary answers, so the primary is asked: .*down")
  void anAttemptThatCouldNotBeStartedIsMadeLater() {
    secondaries.begin();
    now.addAndGet(Duration.ofSeconds(5).toNanos());
    assertThatThrownBy(
            () ->
                secondaries.tryAgain(
                    work -> {
                      throw new RejectedExecutionException();
                    }))
        .isInstanceOf(RejectedExecutionException.class);
    secondaries.tryAgain(waiting::add);
    assertThat(waiting).hasSize(1);
  }
}
