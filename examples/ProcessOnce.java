import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * Handles each message once, even if the queue delivers some messages again. The same transaction
 * does the work of a message and records that it was handled, so both happen or neither. Arguments:
 * URL USER PASSWORD of a MySQL or MariaDB schema.
 */
public final class ProcessOnce {

  private record Payment(String id, int cents) {}

  /** A stand-in for the queue. The second delivery of p2 comes after the first one failed. */
  private static final List<Payment> DELIVERIES =
      List.of(
          new Payment("p1", 500),
          new Payment("p2", 70),
          new Payment("p1", 500),
          new Payment("p2", 70),
          new Payment("p3", 3),
          new Payment("p2", 70));

  private static boolean p2HasFailed;

  public static void main(String[] args) throws SQLException {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(args[0]);
      pool.setUsername(args[1]);
      pool.setPassword(args[2]);
      try (SlotBloom bloom = SlotBloom.on(pool);
          Connection connection = pool.getConnection();
          Statement statement = connection.createStatement()) {
        bloom.migrate();
        statement.execute(
            "CREATE TABLE IF NOT EXISTS example_balance (id INT PRIMARY KEY, cents INT NOT NULL)");
        statement.execute("INSERT IGNORE INTO example_balance VALUES (1, 0)");
        // A false positive skips a payment, so it must be rare.
        FilterSpec<String> spec =
            FilterSpec.builder(KeyType.text()).capacity(100_000).falsePositiveRate(1e-9).build();
        BloomFilter<String> handled = bloom.openOrReserve("example_payment", spec);

        connection.setAutoCommit(false);
        for (Payment payment : DELIVERIES) {
          System.out.println(payment.id() + ": " + handle(payment, connection, handled));
        }
        try (ResultSet row = statement.executeQuery("SELECT cents FROM example_balance")) {
          row.next();
          System.out.println("balance: " + row.getInt(1));
        }
      }
    }
  }

  private static String handle(Payment payment, Connection connection, BloomFilter<String> handled)
      throws SQLException {
    try {
      try (PreparedStatement work =
          connection.prepareStatement("UPDATE example_balance SET cents = cents + ?")) {
        work.setInt(1, payment.cents());
        work.executeUpdate();
      }
      // Add last, because everybody else who adds to the filter waits from here to the commit.
      if (!handled.within(connection).add(payment.id())) {
        connection.rollback();
        return "handled before";
      }
      failOnceFor(payment);
      connection.commit();
      return "handled";
    } catch (SQLException | RuntimeException e) {
      connection.rollback();
      return "failed, will be delivered again: " + e.getMessage();
    }
  }

  private static void failOnceFor(Payment payment) {
    if (payment.id().equals("p2") && !p2HasFailed) {
      p2HasFailed = true;
      throw new IllegalStateException("the power failed");
    }
  }
}
