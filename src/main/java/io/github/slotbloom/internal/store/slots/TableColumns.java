package io.github.slotbloom.internal.store.slots;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import io.github.slotbloom.internal.store.session.Tx;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Result;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/** The columns that a table really has. Not thread-safe. */
public final class TableColumns {

  private static final Field<String> COLUMN = column("column_name");
  private static final Field<String> TYPE = column("column_type");
  private static final Field<String> NULLABLE = column("is_nullable");
  private static final Field<String> KEY = column("column_key");

  private final Result<? extends Record> found;
  private final List<String> faults = new ArrayList<>();

  private TableColumns(Result<? extends Record> found) {
    this.found = found;
  }

  private static Field<String> column(String column) {
    return field(name("c", column), SQLDataType.VARCHAR).as(column);
  }

  /** Reads the columns; returns empty if there is no such table. */
  public static Optional<TableColumns> of(Tx tx, Table<Record> of) {
    Result<? extends Record> found =
        tx.dsl()
            .select(COLUMN, TYPE, NULLABLE, KEY)
            .from(table(name("information_schema", "columns")).as("c"))
            .where(
                field(name("c", "table_schema"), SQLDataType.VARCHAR)
                    .eq(field("DATABASE()", SQLDataType.VARCHAR)))
            .and(field(name("c", "table_name"), SQLDataType.VARCHAR).eq(of.getName()))
            .fetch();
    return found.isEmpty() ? Optional.empty() : Optional.of(new TableColumns(found));
  }

  /**
   * Notes what is wrong with a column that must not be NULL.
   *
   * @param type in lower case, without a width
   * @param key as in {@code column_key} of {@code information_schema}
   * @return this
   */
  public TableColumns require(Field<?> wanted, String type, String key) {
    String column = wanted.getName();
    Optional<? extends Record> row =
        found.stream().filter(r -> column.equalsIgnoreCase(r.get(COLUMN))).findFirst();
    if (row.isEmpty()) {
      faults.add("there is no column " + column);
      return this;
    }
    // MariaDB adds a width: bigint(20) unsigned.
    String actual = row.get().get(TYPE).toLowerCase(Locale.ROOT).replaceFirst("\\(\\d+\\)", "");
    boolean nullable = row.get().get(NULLABLE).equals("YES");
    if (!actual.equals(type) || nullable) {
      faults.add("column " + column + " is " + actual + (nullable ? "" : " not null"));
    }
    if (!row.get().get(KEY).equals(key)) {
      faults.add("column " + column + " is " + (key.isEmpty() ? "" : "not ") + "the key");
    }
    return this;
  }

  /** Returns what is wrong, as parts of a sentence. */
  public List<String> faults() {
    return faults;
  }
}
