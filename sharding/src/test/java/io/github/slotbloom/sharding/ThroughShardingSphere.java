package io.github.slotbloom.sharding;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.testing.Detour;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import javax.sql.DataSource;
import org.apache.shardingsphere.driver.api.ShardingSphereDataSourceFactory;
import org.apache.shardingsphere.infra.config.mode.ModeConfiguration;
import org.apache.shardingsphere.infra.config.rule.RuleConfiguration;
import org.apache.shardingsphere.mode.repository.standalone.StandalonePersistRepositoryConfiguration;

/** Leads to one of two servers of a ShardingSphere data source. */
public final class ThroughShardingSphere implements Detour {

  /** What ShardingSphere calls the server that the tests use. */
  static final String SERVER = "server";

  /** What ShardingSphere calls the other one, which comes first where the order counts. */
  static final String OTHER = "other";

  @Override
  public String name() {
    return "sharded";
  }

  @Override
  public DataSource to(HikariDataSource server, HikariDataSource other) throws SQLException {
    return new ServerDataSource(shardingSphere(server, other, List.of()), SERVER);
  }

  static DataSource shardingSphere(
      HikariDataSource server, HikariDataSource other, List<RuleConfiguration> rules)
      throws SQLException {
    Properties catalog = new Properties();
    catalog.setProperty("jdbc_url", "jdbc:h2:mem:" + UUID.randomUUID());
    return ShardingSphereDataSourceFactory.createDataSource(
        new ModeConfiguration(
            "Standalone", new StandalonePersistRepositoryConfiguration("JDBC", catalog)),
        Map.of(OTHER, other, SERVER, server),
        rules,
        new Properties());
  }
}
