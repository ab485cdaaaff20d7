package io.github.slotbloom.internal.store.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.testing.ExpectedLog;
import java.lang.reflect.Proxy;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class SecondariesTest {

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

  /** Otherwise lookups would wait for a connection that cannot be made. */
  @Test
  @ExpectedLog("^WARN Secondaries - no secondary answers, so the primary is queried: .*down")
  void afterAFailureNoLookupWaitsAndTheyAreTriedAgainEveryFiveSeconds() {
    secondaries.begin();
    assertThat(attempts).hasValue(1);
    assertThat(isAnswered()).isFalse();
    assertThat(attempts).hasValue(1);
    now.addAndGet(Duration.ofMillis(4999).toNanos());
    assertThat(secondaries.mayTryAgain()).isFalse();
    now.addAndGet(Duration.ofMillis(1).toNanos());
    assertThat(secondaries.mayTryAgain()).isTrue();
    assertThat(isAnswered()).isFalse();
    assertThat(attempts).hasValue(1);
    secondaries.tryAgain();
    assertThat(attempts).hasValue(2);
    assertThat(secondaries.mayTryAgain()).isFalse();
    now.addAndGet(Duration.ofSeconds(5).toNanos());
    assertThat(secondaries.mayTryAgain()).isTrue();
  }
}
