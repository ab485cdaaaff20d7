package example;

import io.github.slotbloom.spring.Deduplicate;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;

/** Books each payment once, however often its message is delivered. */
@Service
class Payments {

  private final JdbcTemplate jdbc;

  Payments(JdbcTemplate jdbc) {
    this.jdbc = jdbc;
  }

  /** Returns false if the payment was booked before. */
  @Deduplicate(filter = "example_payments", key = "#payment.id")
  boolean book(Payment payment) {
    jdbc.update(
        "UPDATE example_account SET balance = balance + ? WHERE id = ?",
        payment.amount(),
        payment.account());
    return true;
  }

  long balance(long account) {
    Long balance =
        jdbc.queryForObject(
            "SELECT balance FROM example_account WHERE id = ?", Long.class, account);
    return balance == null ? 0 : balance;
  }
}
