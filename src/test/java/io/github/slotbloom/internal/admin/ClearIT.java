package io.github.slotbloom.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.Freshness;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.OddHours;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.Use;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When clear has returned, no process answers from before. */
@OddHours
@DatabaseContract(shortLeases = true)
@Tag("mysql")
class ClearIT {

  private static final Use USE = Use.MIRRORED;

  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  @Test
  void everyProcessForgetsTheKeysAndGoesOn() {
    String name = USE.filterName();
    FilterSpec<String> spec = USE.spec(KeyType.text());
    BloomFilter<String> mine = here.reserve(name, spec);
    BloomFilter<String> theirs = there.open(name, spec, USE.options());
    BloomFilter<String> bounded =
        there.open(
            name,
            spec,
            FilterOptions.defaults().freshness(Freshness.bounded(Duration.ofMinutes(1))));
    assertThat(mine.addEach(List.of("a", "b", "c"))).containsOnly(true);
    assertThat(theirs.mightContainEach(List.of("a", "b", "c"))).containsOnly(true);
    here.admin(mine.name()).fold();
    assertThat(theirs.add("unfolded")).isTrue();

    here.admin(mine.name()).clear();

    List<String> keys = List.of("a", "b", "c", "unfolded");
    assertThat(bounded.mightContainEach(keys)).containsOnly(false);
    assertThat(theirs.mightContainEach(keys)).containsOnly(false);
    assertThat(mine.mightContainEach(keys)).containsOnly(false);
    assertThat(theirs.add("a")).isTrue();
    assertThat(mine.add("a")).isFalse();
    assertThat(mine.add("b")).isTrue();
    assertThat(theirs.add("b")).isFalse();
    here.admin(theirs.name()).fold();
    FilterInfo info = here.info(mine.name());
    assertThat(info.keysAdded()).isEqualTo(2);
    assertThat(info.epoch()).isEqualTo(2);
    assertThat(info.estimatedKeys()).isBetween(1.5, 2.5);
    assertThat(there.open(name, spec).mightContainEach(List.of("a", "b", "c")))
        .containsExactly(true, true, false);
  }

  @Test
  void anotherProcessFinishesAClearThatWasCutOff() throws SQLException {
    FilterSpec<String> spec = Use.MIRRORED.spec(KeyType.text());
    BloomFilter<String> mine = here.reserve("cut_off", spec);
    mine.addEach(List.of("a", "b"));
    here.admin(mine.name()).fold();
    mine.add("c");
    // What the first transaction of clear leaves when its process dies after it.
    sql.run(
        "UPDATE bloom_filter f JOIN bloom_fold d ON d.filter_id = id JOIN bloom_journal e"
            + " ON e.filter_id = id AND seq = 0 SET state = 'CLEARING', f.epoch = 2, d.epoch = 2,"
            + " e.keys_added = 0, folded_seq = e.last_seq WHERE name = 'cut_off'");
    BloomFilter<String> hasty =
        there.open(
            "cut_off",
            KeyType.text(),
            FilterOptions.defaults().withoutMirror().timeout(Duration.ofMillis(300)));
    // On a busy machine the time may be over before the database answered once.
    await()
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> hasty.mightContain("a"))
                    .isInstanceOf(FilterUnavailableException.class)
                    .hasMessageContaining("is being cleared"));
    await()
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> hasty.add("a")).hasMessageContaining("is being cleared"));
    assertThat(there.names()).contains("cut_off");

    CompletableFuture<Boolean> waiting =
        CompletableFuture.supplyAsync(() -> mine.mightContain("x"));
    there.admin("cut_off").clear();

    assertThat(mine.mightContainEach(List.of("a", "b", "c"))).containsOnly(false);
    assertThat(waiting).succeedsWithin(20, TimeUnit.SECONDS).isEqualTo(false);
    assertThat(mine.add("a")).isTrue();
    BloomFilter<String> direct =
        there.open("cut_off", KeyType.text(), FilterOptions.defaults().withoutMirror());
    assertThat(direct.mightContain("a")).isTrue();
    here.admin(mine.name()).fold();
    assertThat(here.info("cut_off").estimatedKeys()).isBetween(0.5, 1.5);
    assertThat(here.info("cut_off").epoch()).isEqualTo(2);
  }
}
