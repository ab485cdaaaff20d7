package io.github.slotbloom.internal.admin;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BlockList;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.Rescue;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.report.RescuedKey;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.OddHours;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.Use;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Keys of a block list are rescued, and every process knows. */
@OddHours
@DatabaseContract(shortLeases = true)
@Timeout(300)
class RescueIT {

  private static final Use USE = Use.MIRRORED;

  private static final Rescue MISTAKE = Rescue.because("listed by mistake");

  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  @Test
  void aRescuedKeyIsBlockedNowhereUntilItsRescueEnds() {
    String name = newName();
    BloomFilter<String> filter = USE.reserve(here, name);
    filter.addEach(List.of("a", "b"));
    BlockList<String> ours = filter.blockList();
    BlockList<String> theirs = USE.open(there, name).blockList();
    assertThat(theirs.isBlockedEach(List.of("a", "c", "b"))).containsExactly(true, false, true);

    assertThat(ours.rescue("a", MISTAKE)).isTrue();

    assertThat(theirs.isBlocked("a")).isFalse();
    assertThat(ours.isBlocked("a")).isFalse();
    assertThat(theirs.isBlockedEach(List.of("a", "c", "b"))).containsExactly(false, false, true);
    assertThat(filter.mightContain("a")).isTrue();
    // A list that is loaded again has the same mistake.
    assertThat(filter.add("a")).isFalse();
    assertThat(theirs.isBlocked("a")).isFalse();

    assertThat(theirs.endRescueEach(List.of("a", "c", "a"))).containsExactly(true, false, false);
    assertThat(ours.isBlocked("a")).isTrue();
    assertThat(theirs.isBlocked("a")).isTrue();
    assertThat(here.admin(name).verify(VerifyOptions.defaults()).sound()).isTrue();
  }

  @Test
  void whoOpensTheFilterLaterKnowsToo() {
    String name = newName();
    BloomFilter<String> filter = USE.reserve(here, name);
    filter.addEach(List.of("a", "b", "c"));
    filter.blockList().rescueEach(List.of("a", "b"), MISTAKE);
    filter.blockList().endRescue("b");
    here.admin(filter.name()).fold();
    filter.blockList().rescue("c", MISTAKE);

    BlockList<String> later = USE.open(there, name).blockList();

    assertThat(later.isBlockedEach(List.of("a", "b", "c"))).containsExactly(false, true, false);
  }

  @Test
  @PossibleLog(KnownLogs.FOLDING_FAILED) // under the name of before
  void rescuesOutliveAClearARenameAndGrowth() throws SQLException {
    String name = newName();
    BloomFilter<String> filter = Use.MIRRORED.reserve(here, name);
    filter.add("a");
    filter.blockList().rescue("a", MISTAKE);

    here.admin(filter.name()).clear();
    filter.add("a");
    assertThat(filter.blockList().isBlocked("a")).isFalse();
    there.admin(name).grow(50_000);
    String renamed = newName();
    there.admin(name).rename(renamed);

    BloomFilter<String> after = Use.MIRRORED.open(there, renamed);
    assertThat(after.blockList().isBlocked("a")).isFalse();
    String rows =
        "SELECT COUNT(*) FROM bloom_rescued WHERE filter_id = " + here.info(after.name()).id();
    assertThat(sql.number(rows)).isOne();
    there.admin(renamed).drop();
    assertThat(sql.number(rows)).isZero();
  }

  @Test
  void theListSaysWhyByWhomAndUntilWhen() {
    String name = newName();
    BloomFilter<String> filter = Use.MIRRORED.reserve(here, name);
    Instant end = Instant.parse("2199-01-02T03:04:05.678Z");
    filter.blockList().rescue("a", Rescue.because("an old\nreason"));
    filter.blockList().rescue("a", Rescue.because("née Müller").by("ann").until(end));
    filter.blockList().rescue("b", MISTAKE);

    List<RescuedKey> rescued = there.admin(name).rescuedKeys();

    assertThat(rescued).hasSize(2);
    RescuedKey first = rescued.stream().filter(key -> key.by().equals("ann")).findFirst().get();
    assertThat(first.reason()).isEqualTo("née Müller");
    assertThat(first.until()).contains(end);
    assertThat(Duration.between(first.rescuedAt(), here.databaseTime()))
        .isBetween(Duration.ZERO, Duration.ofMinutes(2));
    RescuedKey other = rescued.stream().filter(key -> key != first).findFirst().get();
    assertThat(other.until()).isEmpty();

    filter.blockList().rescue("b", Rescue.because("for a day").lasting(Duration.ofDays(1)));
    RescuedKey lasting =
        there.admin(name).rescuedKeys().stream()
            .filter(key -> key.reason().equals("for a day"))
            .findFirst()
            .orElseThrow();
    assertThat(lasting.until()).contains(lasting.rescuedAt().plus(Duration.ofDays(1)));
    filter.blockList().rescue("b", MISTAKE);
    assertThat(other.by()).contains("@");
    assertThat(filter.blockList().rescued()).hasSize(2);
  }

  @Test
  void filtersOfAllKindsStaySound() {
    FilterSpec.Builder<String> plain = FilterSpec.builder(KeyType.text()).capacity(1000);
    for (FilterSpec<String> spec :
        List.of(
            plain.build(),
            plain.retainHashes().build(),
            FilterSpec.builder(KeyType.text()).capacity(1000).buildRemovable(50),
            FilterSpec.builder(KeyType.text())
                .capacity(1000)
                .window(Duration.ofDays(7), 7)
                .build())) {
      String name = newName();
      BloomFilter<String> filter = here.reserve(name, spec);
      filter.addEach(keys("k", 100));
      // Not listed, so that nothing else has its hash.
      filter.blockList().rescueEach(List.of("k1", "neither"), MISTAKE);
      assertThat(filter.add("neither")).isTrue();
      here.admin(filter.name()).fold();
      filter.blockList().endRescue("k1");
      assertThat(here.admin(name).verify(VerifyOptions.defaults()).findings()).isEmpty();
      assertThat(here.info(filter.name()).keysAdded()).isEqualTo(101);
      assertThat(filter.blockList().isBlockedEach(List.of("k1", "neither")))
          .containsExactly(true, false);
    }
  }

  @Test
  void aRescueEndsByTheClockOfTheDatabase() throws SQLException {
    BloomFilter<String> filter = USE.reserve(here, newName());
    filter.add("a");
    BlockList<String> list = filter.blockList();
    list.rescue("a", MISTAKE.until(here.databaseTime().plusSeconds(3600)));
    assertThat(list.isBlocked("a")).isFalse();

    sql.run(
        "UPDATE bloom_rescued SET rescued_until = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND"
            + " WHERE filter_id = ?",
        here.info(filter.name()).id());

    assertThat(list.isBlocked("a")).isTrue();
    assertThat(list.rescued()).isEmpty();
    assertThat(list.endRescue("a")).isFalse();
  }

  @Test
  void aFilterThatIsGoneHasNoRescuedKeys() {
    String name = newName();
    BloomFilter<String> filter = USE.reserve(here, name);
    BlockList<String> list = filter.blockList();
    list.rescue("a", MISTAKE);
    there.admin(name).drop();
    USE.reserve(there, name);

    assertThatThrownBy(list::rescued).isInstanceOf(FilterNotFoundException.class);
    assertThatThrownBy(() -> list.rescue("a", MISTAKE)).isInstanceOf(FilterNotFoundException.class);
    assertThatThrownBy(() -> list.endRescue("a")).isInstanceOf(FilterNotFoundException.class);
    filter.close();
    assertThatThrownBy(list::rescued).isInstanceOf(FilterClosedException.class);
    assertThatThrownBy(() -> list.rescue("a", MISTAKE)).isInstanceOf(FilterClosedException.class);
  }

  @Test
  void whatCannotBeARescueIsRefused() {
    BlockList<String> list = Use.MIRRORED.reserve(here, newName()).blockList();
    assertThatThrownBy(() -> list.rescue("a", MISTAKE.until(here.databaseTime())))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("has already ended by the database clock");
    assertThatThrownBy(() -> Rescue.because(" "))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("The reason of a rescue must have 1 to 500 characters");
    assertThatThrownBy(() -> MISTAKE.by("x".repeat(256)))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("it has 256");
    for (Instant unstorable : List.of(Instant.parse("+10000-01-01T00:00:00Z"), Instant.MAX)) {
      assertThatThrownBy(() -> list.rescue("a", MISTAKE.until(unstorable)))
          .isInstanceOf(InvalidParameterException.class)
          .hasMessageContaining("A rescue cannot end at " + unstorable + ". Use a time in");
    }
    assertThat(list.rescued()).isEmpty();
    assertThat(list.rescueEach(List.of(), MISTAKE)).isEmpty();
  }
}
