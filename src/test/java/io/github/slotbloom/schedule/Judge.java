package io.github.slotbloom.schedule;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.reliability.FilterState;
import io.github.slotbloom.reliability.HistoryChecker;
import io.github.slotbloom.reliability.Operation;
import io.github.slotbloom.reliability.Operation.Answer;
import io.github.slotbloom.reliability.Operation.Kind;
import io.github.slotbloom.reliability.WindowChecker;
import io.github.slotbloom.testing.ShortLease;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Says what is wrong when a run is over: with the tables, with what the callers saw, with what they
 * and others answer now, and with what an operator who ends what was begun finds then.
 */
final class Judge {

  /** All keys of programs, and some that are in none. */
  private static final List<Long> ASKED =
      LongStream.concat(LongStream.rangeClosed(1, 4), LongStream.rangeClosed(101, 110))
          .boxed()
          .toList();

  private static final List<String> ROWS_OF_A_FILTER =
      List.of(
          "bloom_filter.id",
          "bloom_fold.filter_id",
          "bloom_table.filter_id",
          "bloom_journal.filter_id",
          "bloom_replacement.filter_id",
          "bloom_hash_block.filter_id");

  /** What the catalog says of the filter. */
  private record Row(String name, String state, boolean expired) {
    boolean isDropping() {
      return state.equals("DROPPING");
    }

    boolean isGone() {
      return expired || isDropping();
    }
  }

  private final TestSchema schema;
  private final CleanFilter filters;
  private final Sql sql;

  Judge(TestSchema schema, CleanFilter filters) {
    this.schema = schema;
    this.filters = filters;
    sql = new Sql(schema.direct());
  }

  /**
   * Judges a run.
   *
   * @param living the processes that were not killed
   * @param operator makes a process that comes afterwards
   */
  List<String> violations(
      Program program,
      World world,
      History history,
      List<Caller> living,
      Supplier<SlotBloom> operator)
      throws SQLException {
    CleanFilter.Kind kind = program.filter();
    List<String> found = new ArrayList<>();
    requireAnother(world, operator, found);
    Row row = row(kind);
    if (row == null || row.isGone()) {
      if (row != null) {
        endIt(operator.get(), row, kind, found);
      }
      requireNothingLeft(kind, found);
      requireEnded(history, found);
      return found;
    }
    if (program.calls(Program.Kind.MERGE)) {
      // Bits that came from elsewhere are known once they are in the slots.
      operator.get().admin(row.name()).fold();
    }
    List<Operation> all = history.operations();
    FilterState tables = FilterState.readTrimmed(schema.direct(), row.name());
    found.addAll(tables.violations());
    found.addAll(
        kind == CleanFilter.Kind.WINDOW
            ? WindowChecker.violations(
                all, CleanFilter.LENGTH, ShortLease.LEASE, tables, World::wallMicros)
            : HistoryChecker.violations(all, tables, CleanFilter.KEY_OF_SOURCE));
    requireCleared(all, found);
    requireClearedOnce(all, tables, found);
    requireMerged(program, history, tables, found);
    compareAnswers(kind, living, tables, found);
    requireNoOtherTables(kind, found);
    requireNothingLeftBehind(row.name(), kind, operator.get(), found);
    return found;
  }

  /** What was begun of another filter can be gone on with, once whoever began it is silent. */
  private void requireAnother(World world, Supplier<SlotBloom> operator, List<String> found)
      throws SQLException {
    List<String> states =
        sql.texts("SELECT state FROM bloom_filter WHERE name = ?", Caller.ANOTHER);
    if (states.isEmpty()) {
      return;
    }
    world.advance(TimeUnit.HOURS.toNanos(1));
    if (states.contains("IMPORTING")) {
      filters.importSource(operator.get(), Caller.ANOTHER);
    }
    try (BloomFilter<Long> filter =
        operator.get().openOrReserve(Caller.ANOTHER, CleanFilter.Kind.LASTING.spec())) {
      if (filter.mightContain(1L) || !filter.add(1L) || !filter.mightContain(1L)) {
        found.add("the other filter does not work");
      }
      found.addAll(FilterState.readTrimmed(schema.direct(), Caller.ANOTHER).violations());
      if (schema.slotTables(Caller.ANOTHER).size() != 1) {
        found.add("the other filter has " + schema.slotTables(Caller.ANOTHER));
      }
    }
  }

  /** Whoever was told of the merge before asking finds the key. */
  private static void requireMerged(
      Program program, History history, FilterState tables, List<String> found) {
    if (program.calls(Program.Kind.CLEAR) || history.mergedAt() == Operation.NEVER) {
      return;
    }
    history.operations().stream()
        .filter(o -> o.key() == CleanFilter.KEY_OF_SOURCE && o.answer() == Operation.Answer.NO)
        .filter(o -> o.knowledgeFrom() > history.mergedAt())
        .forEach(o -> found.add("It was merged by " + history.mergedAt() + ", but then " + o));
    if (!tables.contains(tables.hash(CleanFilter.KEY_OF_SOURCE))) {
      found.add("The key of the merged filter is missing in the end.");
    }
  }

  private @Nullable Row row(CleanFilter.Kind kind) throws SQLException {
    return sql
        .rows(
            "SELECT name, state, COALESCE(expires_at < UTC_TIMESTAMP(6), 0) FROM bloom_filter"
                + " WHERE id = ?",
            filters.id(kind))
        .stream()
        .findFirst()
        .map(row -> new Row(row.get(0), row.get(1), row.get(2).equals("1")))
        .orElse(null);
  }

  /** An operator reserves the name of what expired again, and ends a drop that was begun. */
  private static void endIt(
      SlotBloom operator, Row row, CleanFilter.Kind kind, List<String> found) {
    try {
      if (!row.isDropping()) {
        operator.openOrReserve(row.name(), kind.spec()).close();
      }
      operator.admin(row.name()).drop();
    } catch (SlotBloomException e) {
      found.add("An operator could not end it: " + e);
    }
  }

  private void requireNothingLeft(CleanFilter.Kind kind, List<String> found) throws SQLException {
    for (String column : ROWS_OF_A_FILTER) {
      String[] parts = column.split("\\.");
      long rows =
          sql.number(
              "SELECT COUNT(*) FROM " + parts[0] + " WHERE " + parts[1] + " = ?", filters.id(kind));
      if (rows > 0) {
        found.add(rows + " rows of the filter are left in " + parts[0]);
      }
    }
    List<String> tables = sql.texts("SHOW TABLES LIKE '%\\_" + kind.filterName() + "\\_%'");
    if (!tables.isEmpty()) {
      found.add("tables of the filter are left: " + tables);
    }
  }

  /** Whoever was told that the filter is gone has nothing recorded or found in it after that. */
  private static void requireEnded(History history, List<String> found) {
    history.operations().stream()
        .filter(
            o ->
                (o.changed() && o.invoked() > history.endedAt())
                    || (o.foundPresent() && o.invoked() > history.silentAt()))
        .forEach(o -> found.add("The filter was gone by " + history.endedAt() + ", but then " + o));
  }

  /** Once a clear returned, nobody answers from before it, however old an answer may be. */
  private static void requireCleared(List<Operation> all, List<String> found) {
    for (Operation clear : all) {
      if (clear.answer() == Answer.CLEARED) {
        all.stream()
            .filter(o -> o.answer() == Answer.YES && o.invoked() > clear.completed())
            .filter(o -> all.stream().noneMatch(add -> mayOutlast(clear, add, o.key())))
            .forEach(o -> found.add("The filter was cleared by " + clear + ", but then " + o));
      }
    }
  }

  /** What is repeated since its answer was lost would take keys that came later. */
  private static void requireClearedOnce(
      List<Operation> all, FilterState tables, List<String> found) {
    List<Operation> calls = all.stream().filter(o -> o.kind() == Kind.CLEAR).toList();
    long told = calls.stream().filter(o -> o.answer() == Answer.CLEARED).count();
    if (tables.clears() < told || tables.clears() > calls.size()) {
      found.add(
          "%d callers cleared the filter, %d were told so, and it was cleared %d times"
              .formatted(calls.size(), told, tables.clears()));
    }
  }

  private static boolean mayOutlast(Operation clear, Operation add, long key) {
    return add.kind() != Kind.ASK && add.key() == key && add.completed() > clear.invoked();
  }

  private static void compareAnswers(
      CleanFilter.Kind kind, List<Caller> living, FilterState tables, List<String> found) {
    if (kind == CleanFilter.Kind.WINDOW) {
      // Which of its tables still count depends on the time.
      return;
    }
    for (Caller caller : living) {
      caller
          .strictly(ASKED)
          .ifPresent(
              answers -> {
                for (int i = 0; i < answers.length; i++) {
                  long key = ASKED.get(i);
                  if (answers[i] != tables.contains(tables.hash(key))) {
                    found.add(caller + " answers " + answers[i] + " for " + key + " in the end");
                  }
                }
              });
    }
  }

  /** Each slot table has a row, so that somebody will drop it. */
  private void requireNoOtherTables(CleanFilter.Kind kind, List<String> found) throws SQLException {
    List<String> tables = new ArrayList<>(schema.slotTables(kind.filterName()));
    tables.removeAll(used(kind));
    tables.removeAll(unused(kind, ""));
    if (!tables.isEmpty()) {
      found.add("nobody knows of the tables " + tables);
    }
  }

  /** Whatever broke off, an operator brings the filter to where each table is of use. */
  private void requireNothingLeftBehind(
      String name, CleanFilter.Kind kind, SlotBloom operator, List<String> found)
      throws SQLException {
    try {
      operator.admin(name).abortReplacement();
    } catch (SlotBloomException e) {
      found.add("An operator could not end it: " + e);
      return;
    }
    found.addAll(FilterState.readTrimmed(schema.direct(), name).violations());
    List<String> tables = new ArrayList<>(schema.slotTables(kind.filterName()));
    List<String> needed = new ArrayList<>(used(kind));
    needed.addAll(unused(kind, " AND description LIKE 'created ahead%'"));
    if (!tables.containsAll(needed)) {
      found.add("of the tables " + needed + " only these are there: " + tables);
    }
    tables.removeAll(needed);
    tables.removeAll(unused(kind, " AND description LIKE 'being created%'"));
    // One that was made again when it was dropped is dropped once more, an hour later.
    tables.removeAll(unused(kind, " AND description = 'dropped'"));
    if (!tables.isEmpty()) {
      found.add("nobody needs the tables " + tables);
    }
  }

  private List<String> used(CleanFilter.Kind kind) throws SQLException {
    return sql.texts(
        "SELECT slot_table FROM bloom_generation_status WHERE filter_id = ?", filters.id(kind));
  }

  private List<String> unused(CleanFilter.Kind kind, String which) throws SQLException {
    return sql.texts(
        "SELECT slot_table FROM bloom_unused_table WHERE filter_id = ?" + which, filters.id(kind));
  }
}
