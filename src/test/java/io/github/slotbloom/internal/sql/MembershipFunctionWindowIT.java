package io.github.slotbloom.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ClockedConnections;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.MembershipFunctions;
import io.github.slotbloom.testing.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The stored function passes over keys that expired, and has to be made anew for each bucket. */
@DatabaseContract
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
      answers.append(atItsTime.text("SELECT bloom_" + name + "_might_contain(?)", key));
    }
    return answers.toString();
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void theFunctionPassesOverKeysThatExpired(Layout layout) throws SQLException {
    clock.set(NOON);
    String name = "window_" + layout.name().toLowerCase(Locale.ROOT);
    try (SlotBloom clocked = SlotBloom.builder(clock.dataSource()).build();
        BloomFilter<String> filter =
            clocked.reserve(
                name,
                spec(KeyType.text())
                    .layout(layout)
                    .falsePositiveRate(1e-9)
                    .window(DAY.multipliedBy(3), 3)
                    .renew()
                    .build())) {
      filter.add("a");
      filter.fold();
      clock.advance(DAY);
      filter.add("b");
      makeFunction(name);
      assertThat(answers(name)).as("one is not folded").isEqualTo("110");
      filter.fold();
      assertThat(answers(name)).isEqualTo("110");
      clock.advance(DAY.multipliedBy(3));
      assertThat(answers(name)).as("after four days").isEqualTo("010");
      // Memory knows the key until it has heard of the time.
      await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(
              () -> {
                filter.add("b");
                assertThat(filter.info().keysRenewed()).isEqualTo(1);
              });
      assertThatThrownBy(() -> answers(name)).hasMessageContaining("Remake it");
      makeFunction(name);
      assertThat(answers(name)).as("renewed, perhaps not folded").isEqualTo("010");
      filter.fold();
      clock.advance(DAY.multipliedBy(3));
      assertThat(answers(name)).as("renewed").isEqualTo("010");
      clock.advance(DAY);
      assertThat(answers(name)).isEqualTo("000");
    }
  }
}
