package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.context.RetriedTransactions;
import io.github.slotbloom.internal.store.catalog.SchemaTables;
import io.github.slotbloom.internal.store.catalog.TableRows;
import io.github.slotbloom.internal.store.catalog.TableRows.TableRow;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.SlotRows;
import io.github.slotbloom.report.Finding;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.Finding.Severity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks that the rows of the slot tables fit the manifest, and that the tables that are created
 * ahead are there, with nothing in them: the next generations begin with them as they are.
 */
record TableRowCheck(FollowedFilter followed, RetriedTransactions transactions, Findings findings) {

  void run() {
    FilterRecord filter;
    List<Finding> faults;
    do {
      filter = transactions.ask(followed::requireUnchanged);
      faults = faults(filter);
      // Another generation may have begun in between.
    } while (!faults.isEmpty()
        && !filter.knows(transactions.ask(followed::requireUnchanged).head()));
    faults.forEach(findings::add);
  }

  private List<Finding> faults(FilterRecord filter) {
    List<TableRow> rows = transactions.ask(tx -> TableRows.all(tx, filter.id()));
    List<Finding> faults = new ArrayList<>();
    for (GenerationRecord generation : filter.manifest().all()) {
      used(generation, rows).ifPresent(faults::add);
    }
    for (TableRow row : rows) {
      if (row.generation() >= filter.manifest().next()) {
        ahead(filter, row).ifPresent(faults::add);
      }
    }
    return faults;
  }

  private static Optional<Finding> used(GenerationRecord generation, List<TableRow> rows) {
    int number = generation.number();
    Optional<TableRow> row = rows.stream().filter(r -> r.generation() == number).findFirst();
    if (row.isEmpty()) {
      return fault(
          Kind.PARAMETERS,
          number,
          "no row of generation " + number,
          "one of each generation in use",
          "Restore the row: otherwise the table is never dropped once it is unused.");
    }
    long token = row.get().token();
    return token == generation.sinceToken()
        ? Optional.empty()
        : fault(
            Kind.PARAMETERS,
            number,
            "the token %s of generation %s".formatted(token, number),
            generation.sinceToken() + ", as the manifest in bloom_filter says",
            ParameterCheck.PUT_BACK);
  }

  private Optional<Finding> ahead(FilterRecord filter, TableRow row) {
    int number = row.generation();
    int next = filter.manifest().next();
    if (number > next || row.token() != 0) {
      return fault(
          Kind.PARAMETERS,
          number,
          "a row of generation " + number + (number > next ? "" : ", which began"),
          "none that is ahead of the manifest in bloom_filter, with which generation "
              + next
              + " has yet to begin",
          ParameterCheck.PUT_BACK);
    }
    return row.made()
        ? transactions.ask(tx -> unmade(tx, filter.tables().slots(number), number))
        : Optional.empty();
  }

  private static Optional<Finding> unmade(Tx tx, String table, int generation) {
    if (!SchemaTables.tableExists(tx, table)) {
      return fault(
          Kind.SLOT_TABLE,
          generation,
          "no table " + table,
          "one, since it is made",
          "Set made to 0 in its row: then the table is created when it is needed.");
    }
    return SlotRows.isEmpty(tx, table)
        ? Optional.empty()
        : fault(
            Kind.SLOT_TABLE,
            generation,
            "rows in " + table,
            "none before generation " + generation + " begins",
            "Delete them, and find out what wrote them.");
  }

  private static Optional<Finding> fault(
      Kind kind, int generation, String found, String expected, String remedy) {
    return Optional.of(
        new Finding(
            Severity.DAMAGE, kind, "bloom_table", generation, null, null, found, expected, remedy));
  }
}
