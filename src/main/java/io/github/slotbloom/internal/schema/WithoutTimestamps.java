package io.github.slotbloom.internal.schema;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Wraps a data source for Flyway, so that results have no timestamps.
 *
 * <p>Flyway reads the time of each migration as a timestamp. The driver computes it in the time
 * zone of the JVM, and throws if this zone skips the time, as each zone with summer time does once
 * a year. One such row would stop all migrations for good. If there is no timestamp, Flyway reads
 * the time as text, which always works.
 */
final class WithoutTimestamps {

  /** The types of objects that a data source leads to, the more special ones first. */
  static final List<Class<?>> WRAPPED =
      List.of(
          Connection.class,
          CallableStatement.class,
          PreparedStatement.class,
          Statement.class,
          ResultSet.class);

  private WithoutTimestamps() {}

  static DataSource of(DataSource dataSource) {
    return wrap(dataSource, DataSource.class);
  }

  private static <T> T wrap(Object target, Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            WithoutTimestamps.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> call(target, method, arguments)));
  }

  private static @Nullable Object call(
      Object target, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    if (target instanceof ResultSet && method.getName().equals("getTimestamp")) {
      return null;
    }
    try {
      return wrap(method.invoke(target, arguments));
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static @Nullable Object wrap(@Nullable Object result) {
    for (Class<?> type : WRAPPED) {
      if (result != null && type.isInstance(result)) {
        return wrap(result, type);
      }
    }
    return result;
  }
}
