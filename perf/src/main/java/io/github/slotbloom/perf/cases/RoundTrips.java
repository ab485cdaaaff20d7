package io.github.slotbloom.perf.cases;

import com.mysql.cj.MysqlConnection;
import com.mysql.cj.Query;
import com.mysql.cj.interceptors.QueryInterceptor;
import com.mysql.cj.log.Log;
import com.mysql.cj.protocol.Resultset;
import com.mysql.cj.protocol.ServerSession;
import java.util.List;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts everything that Connector/J sends to the server, including its own COMMIT and SET. The
 * driver creates one interceptor per connection; all of them report to one place.
 */
public final class RoundTrips implements QueryInterceptor {

  static final String PARAMETER = "&queryInterceptors=" + RoundTrips.class.getName();

  private static final Queue<String> SENT = new ConcurrentLinkedQueue<>();

  static void clear() {
    SENT.clear();
  }

  static List<String> sent() {
    return List.copyOf(SENT);
  }

  @Override
  public QueryInterceptor init(MysqlConnection connection, Properties properties, Log log) {
    return this;
  }

  @Override
  @SuppressWarnings("TypeParameterUnusedInFormals") // The driver declares this signature.
  public <T extends Resultset> @Nullable T preProcess(Supplier<String> sql, Query query) {
    SENT.add(String.valueOf(sql.get()));
    return null;
  }

  @Override
  public boolean executeTopLevelOnly() {
    return false;
  }

  @Override
  public void destroy() {
    // Nothing to release.
  }

  @Override
  public <T extends Resultset> @Nullable T postProcess(
      Supplier<String> sql, Query query, T result, ServerSession session) {
    return null;
  }
}
