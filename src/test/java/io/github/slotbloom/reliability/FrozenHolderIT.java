package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.WriteMode;
import io.github.slotbloom.error.AddFailedException;
import io.github.slotbloom.error.AddFailedException.Outcome;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.FaultyNetwork;
import io.github.slotbloom.testing.JavaProcess;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A process is frozen in the middle of its transaction, and its connection stays as it is: nothing
 * arrives any more, and nothing says so, as if its host had vanished. The server alone would wait
 * for hours.
 *
 * <p>Most are frozen before the first test, so that all their time runs out together.
 */
@DatabaseContract
@Timeout(180)
class FrozenHolderIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Map<String, Frozen> FROZEN = new HashMap<>();

  private static TestSchema schema;
  private static DataSource tables;
  private static Path log;
  private static SlotBloom others;

  /** A process that stands still, and perhaps what it was about to tell the server. */
  private record Frozen(JavaProcess process, FaultyNetwork network, Optional<Trap> trap) {
    void thaw() throws Exception {
      trap.ifPresent(Trap::release);
      process.freeze(false);
    }

    String hear() {
      return process.nextLine(PATIENCE);
    }
  }

  @BeforeDatabase
  static void freezeSome(TestSchema shared) throws Exception {
    schema = shared;
    tables = schema.dataSource();
    log = Files.createTempFile("slotbloom-frozen", ".log");
    others = SlotBloom.on(schema.pool(pool -> pool.setMaximumPoolSize(6)));
    others.migrate();
    freeze("deferred", WriteMode.DEFERRED, "", List.of("add 1"), "insert into .bloom_journal");
    freeze("write_through", WriteMode.WRITE_THROUGH, "", List.of("add 1"), "update .bloom_filter");
    freeze("patient_caller", WriteMode.DEFERRED, "", List.of("begin 1"), "");
    String hasty = "&sessionVariables=wait_timeout=5";
    freeze("hasty_caller", WriteMode.DEFERRED, hasty, List.of("begin 1"), "");
  }

  @AfterDatabase
  static void end() throws Exception {
    for (Frozen frozen : FROZEN.values()) {
      frozen.process.close();
      frozen.network.close();
    }
    FROZEN.clear();
    others.close();
    Files.delete(log);
  }

  /**
   * Freezes a process, once a statement of its is caught, or else once all its commands are
   * answered.
   */
  private static Frozen freeze(
      String name, WriteMode mode, String urlParameters, List<String> commands, String statement)
      throws Exception {
    others.reserve(name, FilterCommands.spec(mode, 10_000)).close();
    FaultyNetwork network = new FaultyNetwork(schema.database().address());
    JavaProcess process =
        FilterProcess.start(network.url(schema.name()) + urlParameters, schema.owner(), log);
    FilterProcess.awaitReady(process);
    FilterProcess.expect(process, "open " + name, "ok");
    Optional<Trap> trap =
        statement.isEmpty() ? Optional.empty() : Optional.of(Catch.before(statement).in(network));
    commands.forEach(process::tell);
    if (trap.isPresent()) {
      trap.get().caught().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } else {
      for (String command : commands) {
        assertThat(process.nextLine(PATIENCE)).as(command).isEqualTo("1");
      }
    }
    process.freeze(true);
    Frozen frozen = new Frozen(process, network, trap);
    FROZEN.put(name, frozen);
    return frozen;
  }

  @ParameterizedTest
  @EnumSource
  void whoHoldsTheLockAndIsFrozenStopsOthersForSecondsOnly(WriteMode mode) throws Exception {
    String name = mode.name().toLowerCase(Locale.ROOT);
    Frozen holder = FROZEN.get(name);
    // Within the time-out that an add has when nothing is said.
    BloomFilter<Long> filter = others.open(name, KeyType.longs());
    assertThat(filter.add(2L)).isTrue();
    assertThat(filter.mightContain(1L)).isFalse();

    holder.thaw();
    assertThat(holder.hear()).isEqualTo("1");
    assertThat(filter.add(1L)).isFalse();
    filter.fold();
    FilterState state = FilterState.read(tables, name);
    state.verifyFolded();
    assertThat(state.timesJournaled(1)).isEqualTo(1);
    assertThat(state.keysAdded()).isEqualTo(2);
  }

  @Test
  void whoFoldsAndIsFrozenStopsFoldingForSecondsAndAddingNotAtAll() throws Exception {
    String name = "folding";
    Frozen holder =
        freeze(
            name,
            WriteMode.WRITE_THROUGH,
            "",
            List.of("within 1..3", "fold"),
            "update .bloom_fold");
    BloomFilter<Long> filter = others.open(name, KeyType.longs());
    assertThat(filter.add(4L)).isTrue();
    assertThat(FilterState.read(tables, name).foldedSeq()).isZero();
    filter.fold();
    FilterState.read(tables, name).verifyFolded();

    holder.thaw();
    assertThat(holder.hear()).isEqualTo("3");
    assertThat(holder.hear()).isEqualTo("ok");
    FilterState state = FilterState.read(tables, name);
    state.verifyFolded();
    assertThat(state.hashes())
        .containsExactly(LongStream.rangeClosed(1, 4).map(state::hash).toArray());
  }

  /** What ends then is the caller's to say. */
  @Test
  void aFrozenCallersTransactionIsToldToThoseWhoWaitForIt() throws Exception {
    String name = "patient_caller";
    Frozen holder = FROZEN.get(name);
    BloomFilter<Long> filter =
        others.open(name, KeyType.longs(), FilterOptions.defaults().timeout(Duration.ofSeconds(2)));
    AddFailedException failure =
        catchThrowableOfType(AddFailedException.class, () -> filter.add(2L));
    assertThat(failure.outcome()).isEqualTo(Outcome.NOT_RECORDED);
    assertThat(failure)
        .hasMessageContaining(name)
        .hasMessageContaining("within 2 s")
        .hasMessageContaining("lock")
        .hasMessageContaining("BloomFilter.within");
    assertThat(filter.mightContain(1L)).isFalse();

    holder.thaw();
    assertThat(holder.process.ask("end commit", PATIENCE)).isEqualTo("ok");
    assertThat(filter.add(1L)).isFalse();
    assertThat(filter.add(2L)).isTrue();
    filter.fold();
    FilterState.read(tables, name).verifyFolded();
  }

  @Test
  void aFrozenCallersTransactionIsLostAfterTheWaitTimeoutOfItsSession() throws Exception {
    String name = "hasty_caller";
    Frozen holder = FROZEN.get(name);
    BloomFilter<Long> filter = others.open(name, KeyType.longs());
    assertThat(filter.add(2L)).isTrue();

    holder.thaw();
    assertThat(holder.process.ask("end commit", PATIENCE)).startsWith("failed: ");
    assertThat(filter.add(1L)).isTrue();
    filter.fold();
    FilterState.read(tables, name).verifyFolded();
  }
}
