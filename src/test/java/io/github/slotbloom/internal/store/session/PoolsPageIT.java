package io.github.slotbloom.internal.store.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.alibaba.druid.pool.DruidDataSource;
import com.alibaba.druid.pool.DruidDataSourceFactory;
import com.alibaba.druid.wall.WallConfig;
import com.alibaba.druid.wall.WallFilter;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalPropertiesReader;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.RemovableFilter;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.FilterNames;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.MarkdownBlocks;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.apache.tomcat.jdbc.pool.DataSourceFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pools with the properties that docs/pools.md shows. */
@DatabaseContract(migrated = true, shortLeases = true)
@Tag("mysql")
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@PossibleLog("DruidDataSource - \\{conn-\\d+\\} discard")
@PossibleLog("DruidPooledStatement - CommunicationsException")
class PoolsPageIT {

  private static final FilterSpec.Removable<String> SPEC =
      FilterSpec.text(1_000).falsePositiveRate(1e-9).retainHashes().buildRemovable();

  @Fixture private static TestSchema schema;
  @Fixture private static Sql sql;

  /** In the order of the page. */
  enum Pool {
    HIKARI("maximumPoolSize", "autoCommit", of -> new HikariDataSource(new HikariConfig(of))),
    AGROAL(
        "maxSize",
        "autoCommit",
        of ->
            AgroalDataSource.from(
                new AgroalPropertiesReader("")
                    .readProperties(
                        of.stringPropertyNames().stream()
                            .collect(Collectors.toMap(name -> name, of::getProperty))))),
    TOMCAT("maxActive", "defaultAutoCommit", new DataSourceFactory()::createDataSource),
    DRUID("maxActive", "defaultAutoCommit", DruidDataSourceFactory::createDataSource);

    private interface Maker {
      DataSource of(Properties properties) throws Exception;
    }

    private final String size;
    private final String autocommit;
    private final Maker maker;

    Pool(String size, String autocommit, Maker maker) {
      this.size = size;
      this.autocommit = autocommit;
      this.maker = maker;
    }

    DataSource open(Map<String, String> changes) throws Exception {
      String shown =
          MarkdownBlocks.of("docs/pools.md").stream()
              .filter(block -> block.language().equals("properties"))
              .toList()
              .get(ordinal())
              .text();
      Properties properties = new Properties();
      properties.load(
          new StringReader(
              shown
                  .replace("jdbc:mysql://127.0.0.1:3306/slotbloom", schema.url())
                  .replace("=app\n", "=" + schema.owner().user() + "\n")
                  .replace("=secret\n", "=" + schema.owner().password() + "\n")));
      properties.putAll(changes);
      return maker.of(properties);
    }
  }

  private static void close(DataSource pool) throws Exception {
    if (pool instanceof AutoCloseable closeable) {
      closeable.close();
    } else {
      ((org.apache.tomcat.jdbc.pool.DataSource) pool).close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void everythingWorks(Pool kind) throws Exception {
    useEverything(kind.open(Map.of()));
  }

  @ParameterizedTest
  @EnumSource
  void everythingWorksWithOneConnectionAndWithoutAutocommit(Pool kind) throws Exception {
    useEverything(kind.open(Map.of(kind.size, "1", kind.autocommit, "false")));
  }

  static void useEverything(DataSource pool) throws Exception {
    String name = FilterNames.newName();
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      bloom.migrate();
      RemovableFilter<String> filter = bloom.openOrReserve(name, SPEC);
      assertThat(filter.addEach(List.of("a", "b", "c"))).containsOnly(true);
      assertThat(filter.remove("b")).isTrue();
      assertThat(filter.once(pool, "d", transaction -> {})).isTrue();
      bloom.admin(name).fold();
      bloom.admin(name).grow(2_000);
      bloom.admin(name).replace(3_000, KeySource.journal(), ReplaceOptions.defaults());
      for (FilterOptions options :
          List.of(FilterOptions.defaults(), FilterOptions.defaults().withoutMirror())) {
        assertThat(
                bloom
                    .open(name, KeyType.text(), options)
                    .mightContainEach(List.of("a", "b", "c", "d")))
            .containsExactly(true, false, true, true);
      }
      assertThat(bloom.admin(name).verify().findings()).isEmpty();
      bloom.admin(name).clear();
      assertThat(filter.add("a")).isTrue();
      bloom.admin(name).drop();
    } finally {
      close(pool);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCallFailsWithoutAFreeConnectionAndWorksWithOne(Pool kind) throws Exception {
    DataSource pool = kind.open(Map.of(kind.size, "2"));
    String name = FilterNames.newName();
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      RemovableFilter<String> filter = bloom.reserve(name, SPEC, impatient());
      filter.add("a");
      List<Connection> taken = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        taken.add(pool.getConnection());
      }
      assertThatThrownBy(() -> filter.add("b")).isInstanceOf(WriteFailedException.class);
      assertThatThrownBy(() -> filter.mightContain("c"))
          .isInstanceOf(FilterUnavailableException.class);
      for (Connection connection : taken) {
        connection.close();
      }
      assertThat(filter.add("b")).isTrue();
    } finally {
      close(pool);
    }
  }

  private static FilterOptions impatient() {
    return FilterOptions.defaults().timeout(Duration.ofSeconds(1));
  }

  @ParameterizedTest
  @EnumSource
  void killedConnectionsAreReplaced(Pool kind) throws Exception {
    DataSource pool = kind.open(Map.of());
    String name = FilterNames.newName();
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      RemovableFilter<String> filter = bloom.reserve(name, SPEC);
      filter.add("a");
      for (String session :
          sql.texts(
              "SELECT id FROM information_schema.processlist WHERE db = DATABASE()"
                  + " AND id <> CONNECTION_ID()")) {
        sql.run("KILL " + session);
      }
      assertThat(filter.add("b")).isTrue();
      assertThat(filter.mightContain("c")).isFalse();
    } finally {
      close(pool);
    }
  }

  @Test
  void druidsWallRefusesOurStatementsWhateverItAllows() throws Exception {
    WallConfig allowing = new WallConfig("META-INF/druid/wall/mysql");
    allowing.setNoneBaseStatementAllow(true);
    allowing.setFunctionCheck(false);
    allowing.setVariantCheck(false);
    WallFilter wall = new WallFilter();
    wall.setConfig(allowing);
    try (DruidDataSource pool = (DruidDataSource) Pool.DRUID.open(Map.of())) {
      pool.setProxyFilters(List.of(wall));
      SlotBloom bloom = SlotBloom.on(pool);
      assertThatThrownBy(() -> bloom.reserve(FilterNames.newName(), SPEC))
          .hasMessageContaining("sql injection violation")
          .hasMessageContaining("variable in condition not allow");
    }
  }

  @Test
  void aTransactionWhoseConnectionIsRemovedAsAbandonedRecordsNothing() throws Exception {
    DataSource pool =
        Pool.TOMCAT.open(
            Map.of(
                "removeAbandoned", "true",
                "removeAbandonedTimeout", "1",
                "timeBetweenEvictionRunsMillis", "100"));
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      RemovableFilter<String> filter = bloom.reserve(FilterNames.newName(), SPEC);
      assertThatThrownBy(
              () -> filter.once(pool, "a", transaction -> await().until(transaction::isClosed)))
          .isInstanceOf(SQLException.class);
      assertThat(filter.mightContain("a")).isFalse();
    } finally {
      close(pool);
    }
  }
}
