package io.github.slotbloom.testing;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomListener;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A process that cannot reach the database while it sleeps, because its only connection is in use.
 */
public final class Sleeper implements AutoCloseable {

  private final HikariDataSource pool;
  private final SlotBloom bloom;
  private Connection taken;

  public Sleeper(TestSchema schema, SlotBloomListener listener) {
    pool =
        schema.pool(
            settings -> {
              settings.setMaximumPoolSize(1);
              settings.setConnectionTimeout(20_000);
            });
    bloom = SlotBloom.builder(pool).listener(listener).build();
  }

  public SlotBloom bloom() {
    return bloom;
  }

  public void sleep() throws SQLException {
    taken = pool.getConnection();
  }

  public void wake() throws SQLException {
    taken.close();
    taken = null;
  }

  @Override
  public void close() throws SQLException {
    if (taken != null) {
      wake();
    }
    bloom.close();
  }
}
