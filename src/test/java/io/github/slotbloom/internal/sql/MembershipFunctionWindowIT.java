package io.github.slotbloom.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ClockedConnections;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.MembershipFunctions;
import io.github.slotbloom.testing.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The stored function passes over keys that expired, and has to be recreated for each bucket. */
@DatabaseContract
@Tag("mysql")
class MembershipFunctionWindowIT extends MembershipFunctions {

  private static final Duration DAY = Duration.ofDays(1);
  private static final Instant NOON = Instant.parse("2026-03-02T12:00:00Z");

  private static ClockedConnections clock;
  private static Sql atItsTime;

  @BeforeDatabase
  static void makeClock() {
    clock = new ClockedConnections(schema.pool(), NOON);
    atItsTime = new Sql(clock.dataSource());
  }

  private static String answers(String name) throws SQLException {
    StringBuilder answers = new StringBuilder();
    for (String key : new String[] {"a", "b", "never"}) {
      answers.append(atItsTime.text("SELECT " + sql.function(name) + "(?)", key));
    }
    return answers.toString();
  }

  /**
   * What a process does that has the filter open. One that adds also begins buckets automatically.
   */
  private static void inProcess(String name, BiConsumer<SlotBloom, BloomFilter<String>> work) {
    try (SlotBloom clocked = SlotBloom.on(clock.dataSource());
        BloomFilter<String> filter = clocked.open(name, KeyType.text())) {
      work.accept(clocked, filter);
    }
  }

  /** Nobody has the filter open while the function is asked, so no bucket begins meanwhile. */
  @Test
  void theFunctionPassesOverKeysThatExpired() throws SQLException {
    String name = "window";
    try (SlotBloom clocked = SlotBloom.on(clock.dataSource())) {
      clocked.reserve(
          name,
          spec(KeyType.text())
              .falsePositiveRate(1e-9)
              .window(DAY.multipliedBy(3), 3)
              .renew()
              .build());
    }
    inProcess(
        name,
        (process, filter) -> {
          filter.add("a");
          process.admin(name).fold();
        });
    clock.advance(DAY);
    inProcess(name, (process, filter) -> filter.add("b"));
    makeFunction(name);
    assertThat(answers(name)).as("one is perhaps not folded").isEqualTo("110");
    inProcess(name, (process, filter) -> process.admin(name).fold());
    assertThat(answers(name)).isEqualTo("110");
    clock.advance(DAY.multipliedBy(3));
    assertThat(answers(name)).as("after four days").isEqualTo("010");
    inProcess(
        name,
        (process, filter) -> {
          filter.add("b");
          assertThat(process.info(name).keysRenewed()).isEqualTo(1);
        });
    assertThatThrownBy(() -> answers(name)).hasMessageContaining("Recreate it");
    makeFunction(name);
    assertThat(answers(name)).as("renewed, perhaps not folded").isEqualTo("010");
    inProcess(name, (process, filter) -> process.admin(name).fold());
    clock.advance(DAY.multipliedBy(3));
    assertThat(answers(name)).as("renewed").isEqualTo("010");
    clock.advance(DAY);
    assertThat(answers(name)).isEqualTo("000");
  }
}
