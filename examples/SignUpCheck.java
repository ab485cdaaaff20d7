import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;

/**
 * Tells whether an e-mail address is taken. It asks the table of accounts only if the filter says
 * "maybe", so nearly all lookups about free addresses never reach the table. Arguments: URL USER
 * PASSWORD of a MySQL or MariaDB schema.
 */
public final class SignUpCheck {

  private final Connection connection;
  private final BloomFilter<String> taken;
  private int askedTheTable;

  private SignUpCheck(Connection connection, BloomFilter<String> taken) {
    this.connection = connection;
    this.taken = taken;
  }

  public static void main(String[] args) throws SQLException {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(args[0]);
      pool.setUsername(args[1]);
      pool.setPassword(args[2]);
      try (SlotBloom bloom = SlotBloom.on(pool);
          Connection connection = pool.getConnection();
          Statement statement = connection.createStatement()) {
        bloom.migrate();
        // The table compares byte by byte, as the filter does.
        statement.execute(
            "CREATE TABLE IF NOT EXISTS example_account (email VARBINARY(254) PRIMARY KEY)");
        // A wrong "maybe" costs only a query, so a higher false positive rate is acceptable here.
        FilterSpec<String> spec =
            FilterSpec.builder(KeyType.text()).capacity(1000).falsePositiveRate(0.01).build();
        new SignUpCheck(connection, bloom.openOrReserve("example_email", spec)).run();
      }
    }
  }

  private void run() throws SQLException {
    int signedUp = 0;
    for (int i = 0; i < 100; i++) {
      signedUp += signUp("User" + i + "@example.org") ? 1 : 0;
    }
    System.out.println(signedUp + " signed up, " + (100 - signedUp) + " had an account");

    askedTheTable = 0;
    int free = 0;
    for (int i = 0; i < 500; i++) {
      free += isTaken("visitor" + i + "@example.net") ? 0 : 1;
    }
    System.out.println(free + " of 500 are free; the table was asked for " + askedTheTable);
  }

  private boolean signUp(String address) throws SQLException {
    if (isTaken(address)) {
      return false;
    }
    // Add to the filter first. If the process then dies, the filter says "maybe" and the table says
    // "free".
    taken.add(normalized(address));
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT IGNORE INTO example_account VALUES (?)")) {
      insert.setString(1, normalized(address));
      // If two users sign up with one address at the same time, the primary key accepts only one.
      return insert.executeUpdate() == 1;
    }
  }

  private boolean isTaken(String address) {
    return taken.contains(normalized(address), this::isInTable);
  }

  private boolean isInTable(String address) {
    askedTheTable++;
    try (PreparedStatement select =
        connection.prepareStatement("SELECT 1 FROM example_account WHERE email = ?")) {
      select.setString(1, address);
      return select.executeQuery().next();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns one key for all spellings of an address. */
  private static String normalized(String address) {
    return address.strip().toLowerCase(Locale.ROOT);
  }
}
