package io.github.slotbloom.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.spring.Deduplicate;
import io.github.slotbloom.spring.DuplicateCallException;
import io.github.slotbloom.spring.ExpiredCallException;
import io.github.slotbloom.spring.Refusal;
import io.github.slotbloom.testing.Crowd;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.TestSchema;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionTemplate;

/** A method runs once for each key, and its key and its work stay or go together. */
@DatabaseContract(migrated = true)
class DeduplicateIT {

  private final ApplicationContextRunner application;

  DeduplicateIT(TestSchema schema) {
    this.application =
        Application.on(schema)
            .withPropertyValues(
                "slotbloom.filters.payments.capacity=1000",
                "slotbloom.filters.payments.false-positive-rate=1e-9",
                "slotbloom.filters.ids.capacity=1000",
                "slotbloom.filters.ids.key-type=long",
                "slotbloom.filters.week.capacity=1000",
                "slotbloom.filters.week.window.length=7d",
                "slotbloom.filters.week.window.buckets=7")
            .withBean(Booking.class)
            .withBean(Ledger.class);
  }

  /** Another bean that a method calls in its transaction. */
  static class Ledger {
    @Deduplicate(filter = "payments", key = "#id")
    public boolean sameKey(String id) {
      return true;
    }

    @Transactional
    public void failing() {
      throw new IllegalStateException("the ledger is closed");
    }
  }

  record Message(String id, Instant sentAt) {}

  /** Writes a row for each call that runs. */
  static class Booking {

    private final JdbcTemplate jdbc;
    private final AtomicInteger runs = new AtomicInteger();
    private volatile CyclicBarrier meeting = new CyclicBarrier(1);

    private final Ledger ledger;

    Booking(DataSource dataSource, Ledger ledger) {
      this.ledger = ledger;
      this.jdbc = new JdbcTemplate(dataSource);
      jdbc.execute("CREATE TABLE IF NOT EXISTS booked (id VARCHAR(40))");
    }

    private void book(Object id) {
      runs.incrementAndGet();
      jdbc.update("INSERT INTO booked VALUES (?)", String.valueOf(id));
    }

    int runs() {
      return runs.get();
    }

    void meet(int callers) {
      meeting = new CyclicBarrier(callers);
    }

    int booked() {
      return jdbc.queryForList("SELECT id FROM booked").size();
    }

    @Deduplicate(filter = "payments", key = "#message.id")
    boolean skipping(Message message) {
      book(message.id());
      return true;
    }

    @Deduplicate(filter = "payments", key = "#id")
    Optional<String> optional(String id) {
      book(id);
      return Optional.of(id);
    }

    @Deduplicate(filter = "payments", key = "#id")
    String object(String id) {
      book(id);
      return id;
    }

    @Deduplicate(filter = "payments", key = "#id", onDuplicate = Refusal.FAIL)
    void failing(String id) {
      book(id);
    }

    @Deduplicate(filter = "ids", key = "#p0")
    Boolean number(int id) {
      book(id);
      return true;
    }

    @Deduplicate(filter = "payments", key = "#id")
    void breaking(String id) throws IOException {
      book(id);
      throw new IOException("broken");
    }

    @Deduplicate(filter = "payments", key = "#id")
    @Transactional(noRollbackFor = IOException.class)
    public void breakingInATransaction(String id) throws IOException {
      book(id);
      throw new IOException("broken");
    }

    @Deduplicate(filter = "payments", key = "#id")
    @Transactional
    public boolean rollingBack(String id) {
      book(id);
      TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
      return true;
    }

    @Deduplicate(filter = "payments", key = "#id")
    boolean goingOn(String id) {
      book(id);
      try {
        ledger.failing();
      } catch (IllegalStateException e) {
        // The transaction is lost all the same.
      }
      return true;
    }

    @Deduplicate(filter = "payments", key = "#id")
    @Transactional
    public boolean goingOnInATransaction(String id) {
      return goingOn(id);
    }

    @Deduplicate(filter = "payments", key = "#id")
    boolean callingAnother(String id) {
      book(id);
      return ledger.sameKey(id);
    }

    @Deduplicate(filter = "payments", key = "#id", recordFirst = true)
    boolean callingAnotherWhenRecorded(String id) {
      book(id);
      return ledger.sameKey(id);
    }

    @Deduplicate(filter = "payments", key = "#id")
    boolean callingItself(String id, Booking proxy) {
      book(id);
      return !proxy.callingItself(id, proxy);
    }

    @Deduplicate(filter = "payments", key = "#id")
    boolean meeting(String id) throws Exception {
      meeting.await();
      book(id);
      return true;
    }

    @Deduplicate(filter = "payments", key = "#id", recordFirst = true)
    boolean recordedFirst(String id) {
      book(id);
      return true;
    }

    @Deduplicate(filter = "week", key = "#message.id", eventTime = "#message.sentAt")
    boolean inWindow(Message message) {
      book(message.id());
      return true;
    }

    @Deduplicate(
        filter = "week",
        key = "#message.id",
        eventTime = "#message.sentAt",
        onExpired = Refusal.SKIP)
    boolean skippingExpired(Message message) {
      book(message.id());
      return true;
    }
  }

  private interface Trial {
    void on(Booking booking, ApplicationContext context) throws Exception;
  }

  private void run(Trial trial) {
    application.run(context -> trial.on(context.getBean(Booking.class), context));
  }

  private static Message message(String id) {
    return new Message(id, Instant.EPOCH);
  }

  @Test
  void aRepeatedCallIsSkippedOrFails() {
    run(
        (booking, context) -> {
          assertThat(booking.skipping(message("a"))).isTrue();
          assertThat(booking.skipping(message("a"))).isFalse();
          assertThat(Application.text(context, "payments").mightContain("a")).isTrue();
          assertThat(booking.optional("b")).contains("b");
          assertThat(booking.optional("b")).isEmpty();
          assertThat(booking.object("c")).isEqualTo("c");
          assertThat(booking.object("c")).isNull();
          assertThat(booking.number(1)).isTrue();
          assertThat(booking.number(1)).isFalse();
          assertThat(booking.callingItself("d", booking)).isTrue();
          assertThat(booking.callingItself("d", booking)).isFalse();
          booking.failing("a secret");
          assertThatThrownBy(() -> booking.failing("a secret"))
              .isInstanceOfSatisfying(
                  DuplicateCallException.class, e -> assertThat(e.filter()).isEqualTo("payments"))
              .hasMessageContaining("Booking.failing")
              .hasMessageNotContaining("secret");
          assertThat(booking.booked()).isEqualTo(6);
          assertThat(booking.runs()).isEqualTo(6);
          Application.text(context, "payments").add("by hand");
          assertThat(booking.skipping(message("by hand"))).isFalse();
        });
  }

  @Test
  void aCallThatFailedOrIsRolledBackCanBeRepeated() {
    run(
        (booking, context) -> {
          assertThatThrownBy(() -> booking.breaking("a")).isInstanceOf(IOException.class);
          assertThatThrownBy(() -> booking.breakingInATransaction("a"))
              .isInstanceOf(IOException.class);
          // What is lost does not look like a call that ran.
          List<Predicate<String>> rolledBack =
              List.of(booking::goingOn, booking::goingOnInATransaction, booking::rollingBack);
          for (Predicate<String> call : rolledBack) {
            assertThatThrownBy(() -> call.test("a"))
                .isInstanceOf(UnexpectedRollbackException.class);
          }
          assertThat(booking.booked()).isZero();
          assertThat(booking.skipping(message("a"))).isTrue();
        });
  }

  @Test
  void aTransactionOfTheCallerTakesTheKeyAlong() {
    run(
        (booking, context) -> {
          TransactionTemplate transaction =
              new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
          transaction.executeWithoutResult(
              status -> {
                assertThat(booking.skipping(message("a"))).isTrue();
                assertThat(booking.skipping(message("a"))).isFalse();
                status.setRollbackOnly();
              });
          assertThat(booking.booked()).isZero();
          transaction.executeWithoutResult(
              status -> assertThat(booking.skipping(message("a"))).isTrue());
          // A call that is skipped leaves the transaction of the caller as it is.
          transaction.executeWithoutResult(
              status -> {
                assertThat(booking.skipping(message("b"))).isTrue();
                assertThat(booking.skipping(message("a"))).isFalse();
                assertThatThrownBy(() -> booking.failing("a"))
                    .isInstanceOf(DuplicateCallException.class);
              });
          assertThat(booking.booked()).isEqualTo(2);
        });
  }

  @Test
  void ofCallsThatRunAtOnceOneStays() {
    run(
        (booking, context) -> {
          booking.meet(2);
          assertThat(atOnce(2, () -> booking.meeting("a"))).containsOnlyOnce(true);
          assertThat(booking.runs()).isEqualTo(2);
          assertThat(atOnce(8, () -> booking.recordedFirst("b"))).containsOnlyOnce(true);
          assertThat(booking.runs()).as("recorded first").isEqualTo(3);
          assertThat(atOnce(8, () -> booking.skipping(message("c")))).containsOnlyOnce(true);
          assertThat(booking.booked()).isEqualTo(3);
        });
  }

  private static List<Boolean> atOnce(int threads, Callable<Boolean> call) throws Exception {
    List<Boolean> answers = new CopyOnWriteArrayList<>();
    Crowd.of(threads, number -> answers.add(call.call())).join(Duration.ofMinutes(5));
    return answers;
  }

  @Test
  void aCallWithinACallOfTheSameKeyLosesNoWork() {
    run(
        (booking, context) -> {
          for (String mode : List.of("last", "first")) {
            assertThatThrownBy(
                    () -> {
                      boolean ran =
                          mode.equals("last")
                              ? booking.callingAnother("a")
                              : booking.callingAnotherWhenRecorded("a");
                      assertThat(ran).isTrue();
                    })
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Ledger.sameKey did not run: Booking.callingAnother")
                .hasMessageContaining("Use another filter for one of them");
          }
          assertThat(booking.booked()).isZero();
          assertThat(context.getBean(Ledger.class).sameKey("a")).isTrue();
        });
  }

  @Test
  void anEventThatIsTooOldForTheWindowIsToldApart() {
    run(
        (booking, context) -> {
          Instant now = context.getBean(SlotBloom.class).databaseTime();
          Message fresh = new Message("a", now.minusSeconds(60));
          assertThat(booking.inWindow(fresh)).isTrue();
          assertThat(booking.inWindow(fresh)).isFalse();
          Message late = new Message("late", now.minus(Duration.ofDays(5)));
          assertThat(booking.inWindow(late)).isTrue();
          assertThat(booking.inWindow(late)).isFalse();
          Message old = new Message("old", now.minus(Duration.ofDays(8)));
          assertThatThrownBy(() -> booking.inWindow(old))
              .isInstanceOfSatisfying(
                  ExpiredCallException.class, e -> assertThat(e.filter()).isEqualTo("week"));
          assertThat(booking.skippingExpired(old)).isFalse();
          assertThat(booking.runs()).isEqualTo(2);
          assertThatThrownBy(() -> booking.inWindow(new Message("b", null)))
              .hasMessageContaining("'#message.sentAt', is null");
        });
  }

  @Test
  void aCallWithoutAKeyIsRefused() {
    run(
        (booking, context) -> {
          assertThatThrownBy(() -> booking.skipping(message(null)))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("Booking.skipping")
              .hasMessageContaining("'#message.id', is null");
          assertThatThrownBy(() -> booking.skipping(null))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("Booking.skipping did not run")
              .hasMessageContaining("'#message.id'")
              .hasRootCauseInstanceOf(EvaluationException.class);
          assertThat(booking.runs()).isZero();
        });
  }
}
