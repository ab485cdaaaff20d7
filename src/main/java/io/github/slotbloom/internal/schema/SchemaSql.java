package io.github.slotbloom.internal.schema;

import io.github.slotbloom.error.SchemaException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Provides the SQL that creates the tables of all filters, for Flyway and for operators who prefer
 * to run it by hand. Needs no Flyway.
 */
public final class SchemaSql {

  static final String FOLDER = "io/github/slotbloom/db-migrations";
  private static final String SCRIPT = FOLDER + "/V1__tables_and_views.sql";

  private SchemaSql() {}

  /** Returns the SQL of the tables that all filters share, and of the views. */
  public static String base() {
    try (InputStream script = SchemaSql.class.getClassLoader().getResourceAsStream(SCRIPT)) {
      if (script == null) {
        throw new SchemaException(SCRIPT + " is missing from the class path.", null);
      }
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
