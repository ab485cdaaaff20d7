package io.github.slotbloom.schedule;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * A planted defect: a transaction that wrote to the journal is rolled back, but told as committed,
 * if another session did anything between its last statement and its COMMIT.
 */
final class LossyCommits {

  private final DataSource real;
  private final AtomicLong statements = new AtomicLong();

  LossyCommits(DataSource real) {
    this.real = real;
  }

  DataSource dataSource() {
    return wrap(DataSource.class, real, "", new long[1]);
  }

  /**
   * @param inserted the number of the statement that wrote to the journal; 0 if there was none
   */
  private <T> T wrap(Class<T> type, Object target, String prepared, long[] inserted) {
    return type.cast(
        Proxy.newProxyInstance(
            LossyCommits.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              String text =
                  arguments != null && arguments[0] instanceof String sql ? sql : prepared;
              Object[] sent = arguments;
              if (method.getName().startsWith("execute") && !text.startsWith("SET ")) {
                long number = statements.incrementAndGet();
                if (text.equals("COMMIT") && inserted[0] > 0 && number > inserted[0] + 1) {
                  sent = new Object[] {"ROLLBACK"};
                }
                inserted[0] = text.startsWith("insert into `bloom_journal`") ? number : 0;
              }
              Object result = ReflectionSupport.invokeMethod(method, target, sent);
              return switch (method.getName()) {
                case "getConnection" -> wrap(Connection.class, result, "", new long[1]);
                case "createStatement" -> wrap(Statement.class, result, "", inserted);
                case "prepareStatement" -> wrap(PreparedStatement.class, result, text, inserted);
                default -> result;
              };
            }));
  }
}
