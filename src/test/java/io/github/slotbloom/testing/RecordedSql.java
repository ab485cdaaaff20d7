package io.github.slotbloom.testing;

import com.mysql.cj.jdbc.JdbcConnection;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * Wraps a data source and records the text of every statement and every value bound to one.
 * Thread-safe.
 */
public final class RecordedSql {

  private final Queue<String> texts = new ConcurrentLinkedQueue<>();
  private final Queue<Object> values = new ConcurrentLinkedQueue<>();
  private final DataSource dataSource;
  private volatile boolean forbidden;

  public RecordedSql(DataSource recorded) {
    dataSource = record(recorded, DataSource.class);
  }

  /** Returns the data source to give to the library. */
  public DataSource dataSource() {
    return dataSource;
  }

  /** Returns the statements that the driver received. Threads are in no particular order. */
  public List<String> texts() {
    return List.copyOf(texts);
  }

  /** Returns the values that were bound to parameters. */
  public List<Object> values() {
    return List.copyOf(values);
  }

  public void clear() {
    texts.clear();
    values.clear();
  }

  /**
   * Makes every later request for a connection fail with an error that nobody mistakes for a
   * database error.
   */
  public void forbid() {
    forbidden = true;
  }

  private <T> T record(Object target, Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            RecordedSql.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> called(target, method, arguments)));
  }

  private Object called(Object target, Method method, Object[] arguments) throws Throwable {
    if (forbidden && method.getName().equals("getConnection")) {
      throw new AssertionError("A connection was asked for.");
    }
    if (arguments != null && arguments.length > 0) {
      if (arguments[0] instanceof String text && takesSql(target, method)) {
        texts.add(text);
      } else if (target instanceof PreparedStatement
          && method.getName().startsWith("set")
          && arguments.length > 1
          && arguments[1] != null) {
        values.add(arguments[1]);
      }
    }
    return recorded(ReflectionSupport.invokeMethod(method, target, arguments));
  }

  private static boolean takesSql(Object target, Method method) {
    String name = method.getName();
    return target instanceof Connection
        ? name.startsWith("prepare") || name.startsWith("serverPrepare") || name.equals("nativeSQL")
        : target instanceof Statement && (name.startsWith("execute") || name.equals("addBatch"));
  }

  private Object recorded(Object result) {
    if (result instanceof JdbcConnection) {
      return record(result, JdbcConnection.class);
    }
    if (result instanceof Connection) {
      return record(result, Connection.class);
    }
    if (result instanceof CallableStatement) {
      return record(result, CallableStatement.class);
    }
    if (result instanceof PreparedStatement) {
      return record(result, PreparedStatement.class);
    }
    return result instanceof Statement ? record(result, Statement.class) : result;
  }
}
