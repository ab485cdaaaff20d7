package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.FaultyNetwork;
import io.github.slotbloom.testing.JavaProcess;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A process is frozen in the middle of its transaction, and its connection stays as it is: nothing
 * arrives any more, and nothing says so, as if its host had vanished. The server alone would wait
 * for hours.
 */
@DatabaseContract(onOne = true)
@Timeout(180)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.SELF_GROWTH_FAILED)
@Tag("servers")
@Tag("long")
class FrozenHolderIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int TIMES_TO_FREEZE = 5;

  /** Sooner than the server gives up a silent session of Slotbloom's own. */
  private static final Duration SURELY_THERE = Duration.ofSeconds(8);

  private static final List<Frozen> FROZEN = new ArrayList<>();

  private static TestSchema schema;
  private static DataSource tables;
  private static Path log;
  private static SlotBloom others;

  /**
   * A process that stands still, and perhaps what it was about to tell the server.
   *
   * @param heardUntil by {@link System#nanoTime}, when the server had surely still heard of it
   */
  private record Frozen(
      JavaProcess process, FaultyNetwork network, Optional<Trap> trap, long heardUntil)
      implements AutoCloseable {
    void thaw() throws Exception {
      trap.ifPresent(Trap::release);
      process.freeze(false);
    }

    String hear() {
      return process.nextLine(PATIENCE);
    }

    Duration silence() {
      return Duration.ofNanos(System.nanoTime() - heardUntil);
    }

    @Override
    public void close() throws IOException {
      process.close();
      network.close();
    }
  }

  @BeforeDatabase
  static void migrate(TestSchema shared) throws Exception {
    schema = shared;
    tables = schema.dataSource();
    log = Files.createTempFile("slotbloom-frozen", ".log");
    others = SlotBloom.on(schema.pool(pool -> pool.setMaximumPoolSize(6)));
    others.migrate();
  }

  @AfterDatabase
  static void end() throws Exception {
    for (Frozen frozen : FROZEN) {
      frozen.close();
    }
    FROZEN.clear();
    others.close();
    Files.delete(log);
  }

  private static BloomFilter<Long> reserve(String name) {
    return others.reserve(name, FilterCommands.spec(10_000));
  }

  /** Freezes a process that holds a lock, and again if the lock is gone before one could see it. */
  private static Frozen freezeHolding(
      RowLock lock, String name, String urlParameters, List<String> commands, String statement)
      throws Exception {
    for (int i = 0; i < TIMES_TO_FREEZE; i++) {
      Frozen frozen = freeze(name, urlParameters, commands, statement);
      if (lock.isHeld(new Sql(tables), name)) {
        FROZEN.add(frozen);
        return frozen;
      }
      frozen.close();
    }
    throw new AssertionError("Whoever is frozen does not hold the lock " + lock + " of " + name);
  }

  /**
   * Freezes a process, once a statement of its is caught, or else once all its commands are
   * answered.
   */
  private static Frozen freeze(
      String name, String urlParameters, List<String> commands, String statement) throws Exception {
    FaultyNetwork network = new FaultyNetwork(schema.database().address());
    JavaProcess process =
        FilterProcess.start(network.url(schema.name()) + urlParameters, schema.owner(), log);
    FilterProcess.awaitReady(process);
    FilterProcess.expect(process, "open " + name, "ok");
    Optional<Trap> trap =
        statement.isEmpty()
            ? Optional.empty()
            : Optional.of(Catch.before(statement, 0).in(network));
    long heardUntil = System.nanoTime();
    commands.forEach(process::tell);
    if (trap.isPresent()) {
      trap.get().caught().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } else {
      for (String command : commands) {
        assertThat(process.nextLine(PATIENCE)).as(command).isEqualTo("1");
      }
    }
    process.freeze(true);
    return new Frozen(process, network, trap, heardUntil);
  }

  @Test
  void aFrozenLockHolderStopsOthersForSecondsOnly() throws Exception {
    // Both at once, so that their time runs out together.
    List<Interrupted> both = new ArrayList<>();
    both.add(interrupt("before_entry", "insert.* into .bloom_journal"));
    both.add(interrupt("before_commit", "^commit"));
    for (Interrupted one : both) {
      // Within the timeout that an add has when nothing is said.
      assertThat(one.addOfAnother.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      BloomFilter<Long> filter = one.filter;
      assertThat(filter.mightContain(1L)).isFalse();

      one.holder.thaw();
      assertThat(one.holder.hear()).isEqualTo("1");
      assertThat(filter.add(1L)).isFalse();
      others.admin(filter.name()).fold();
      FilterState state = FilterState.read(tables, one.name);
      state.verifyFolded();
      assertThat(state.timesJournaled(1)).isEqualTo(1);
      assertThat(state.keysAdded()).isEqualTo(2);
    }
  }

  /** Somebody was frozen in the middle of an add, and somebody else adds. */
  private record Interrupted(
      String name,
      Frozen holder,
      BloomFilter<Long> filter,
      CompletableFuture<Boolean> addOfAnother) {}

  private static Interrupted interrupt(String name, String statement) throws Exception {
    BloomFilter<Long> filter = reserve(name);
    Frozen holder = freezeHolding(RowLock.HEAD, name, "", List.of("add 1"), statement);
    return new Interrupted(name, holder, filter, filter.addAsync(2L));
  }

  @Test
  void aFrozenFolderStopsFoldingForSecondsAndNoAdd() throws Exception {
    String name = "folding";
    reserve(name).close();
    Frozen holder =
        freezeHolding(RowLock.FOLD, name, "", List.of("within 1..3", "fold"), "update .bloom_fold");
    // Who opened it sooner would fold, too.
    BloomFilter<Long> filter = others.open(name, KeyType.longs());
    assertThat(filter.add(4L)).isTrue();
    long foldedSeq = FilterState.read(tables, name).foldedSeq();
    if (holder.silence().compareTo(SURELY_THERE) < 0) {
      assertThat(foldedSeq).isZero();
    }
    others.admin(filter.name()).fold();
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
  void anErrorTellsOfAFrozenTransactionOfACaller() throws Exception {
    String name = "patient_caller";
    BloomFilter<Long> patient = reserve(name);
    BloomFilter<Long> hasty =
        others.open(name, KeyType.longs(), FilterOptions.defaults().timeout(Duration.ofSeconds(4)));
    Frozen holder = freezeHolding(RowLock.HEAD, name, "", List.of("begin 1"), "");
    WriteFailedException failure =
        catchThrowableOfType(WriteFailedException.class, () -> hasty.add(2L));
    assertThat(failure.outcome()).isEqualTo(Outcome.NOT_RECORDED);
    assertThat(failure)
        .hasMessageContaining(name)
        .hasMessageContaining("within 4 s")
        .hasMessageContaining("lock")
        .hasMessageContaining("BloomFilter.within");
    assertThat(patient.mightContain(1L)).isFalse();

    holder.thaw();
    assertThat(holder.process.ask("end commit", PATIENCE)).isEqualTo("ok");
    assertThat(patient.add(1L)).isFalse();
    assertThat(patient.add(2L)).isTrue();
    others.admin(patient.name()).fold();
    FilterState.read(tables, name).verifyFolded();
  }

  @Test
  void aFrozenTransactionOfACallerIsLostAfterItsWaitTimeout() throws Exception {
    String name = "hasty_caller";
    BloomFilter<Long> filter = reserve(name);
    String hasty = "&sessionVariables=wait_timeout=5";
    Frozen holder = freezeHolding(RowLock.HEAD, name, hasty, List.of("begin 1"), "");
    assertThat(filter.add(2L)).isTrue();

    holder.thaw();
    assertThat(holder.process.ask("end commit", PATIENCE)).startsWith("failed: ");
    assertThat(filter.add(1L)).isTrue();
    others.admin(filter.name()).fold();
    FilterState.read(tables, name).verifyFolded();
  }
}
