package io.github.slotbloom.internal.schema;

import io.github.slotbloom.error.SchemaException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Provides the SQL that makes the tables of all filters, for Flyway and for operators who prefer to
 * run it by hand. Needs no Flyway.
 */
public final class SchemaSql {

  static final String FOLDER = "io/github/slotbloom/db-migrations";
  private static final List<String> BASE_SCRIPTS =
      List.of(
          "V1__catalog_and_journal.sql",
          "V2__growth.sql",
          "V3__on_full.sql",
          "V4__replacing_growth.sql",
          "V5__retained_hashes.sql",
          "V6__compaction_fence.sql",
          "V7__imported_filters.sql",
          "V8__status_views.sql",
          "V9__usage.sql",
          "V10__no_slot_history.sql",
          "V11__capacity_that_answers.sql",
          "V12__no_write_mode.sql",
          "V13__journal_end_columns.sql",
          "V14__journal_end_rows.sql",
          "V15__removed_keys.sql",
          "V16__expiry.sql",
          "V17__windows.sql",
          "V18__removed_keys_of_windows.sql",
          "V19__rescued_keys.sql");

  private SchemaSql() {}

  /** Returns the SQL of the tables that all filters share, and of the views. */
  public static String base() {
    return BASE_SCRIPTS.stream().map(SchemaSql::script).collect(Collectors.joining("\n"));
  }

  private static String script(String name) {
    String path = FOLDER + "/" + name;
    try (InputStream script = SchemaSql.class.getClassLoader().getResourceAsStream(path)) {
      if (script == null) {
        throw new SchemaException(path + " is missing from the class path.", null);
      }
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
