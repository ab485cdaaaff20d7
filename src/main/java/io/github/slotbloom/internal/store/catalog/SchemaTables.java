package io.github.slotbloom.internal.store.catalog;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.table;

import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.Tables.Folds;
import io.github.slotbloom.internal.store.Tables.HashBlockRows;
import io.github.slotbloom.internal.store.Tables.Journals;
import io.github.slotbloom.internal.store.Tables.Replacements;
import io.github.slotbloom.internal.store.Tables.RescuedKeys;
import io.github.slotbloom.internal.store.Tables.SlotTableRows;
import io.github.slotbloom.internal.store.Tables.Usages;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.List;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/** Checks which tables and views the schema holds, and drops slot tables. */
public final class SchemaTables {

  /** The refusal of what the development versions made, from which no migration leads. */
  public static final String OF_DEVELOPMENT =
      "The bloom_ tables were created by a development version of Slotbloom before 0.1.0, which no"
          + " release can read. Use another schema, or drop all tables and views whose names begin"
          + " with bloom_. Then migrate and add the keys again.";

  /** Tells by a number above zero that the tables are such. */
  public static final String COUNT_OF_DEVELOPMENT =
      "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = DATABASE() AND"
          + " table_name = 'bloom_filter' AND column_name IN ('write_mode', 'generation_token')";

  private static final Field<String> TABLE_NAME = field(name("table_name"), SQLDataType.VARCHAR);

  private static final Condition IN_THIS_SCHEMA =
      field(name("table_schema"), SQLDataType.VARCHAR).eq(field("DATABASE()", SQLDataType.VARCHAR));

  private static final Table<Record> TABLES = table(name("information_schema", "tables"));

  /** The base tables, and the views for people. */
  private static final List<String> BASE =
      Stream.concat(
              Stream.of(
                      Filters.TABLE,
                      SlotTableRows.TABLE,
                      Folds.TABLE,
                      Journals.TABLE,
                      Replacements.TABLE,
                      HashBlockRows.TABLE,
                      RescuedKeys.TABLE,
                      Usages.TABLE)
                  .map(Table::getName),
              Stream.of(
                  "bloom_filter_status",
                  "bloom_generation_status",
                  "bloom_unused_table",
                  "bloom_replacement_status"))
          .toList();

  private SchemaTables() {}

  public static boolean areOfDevelopment(Tx tx) {
    return tx.dsl().fetchSingle(COUNT_OF_DEVELOPMENT).get(0, int.class) > 0;
  }

  public static boolean areComplete(Tx tx) {
    return tx.dsl().fetchCount(TABLES, IN_THIS_SCHEMA.and(TABLE_NAME.in(BASE))) == BASE.size();
  }

  /** Returns true if the schema holds a table or view of that name. */
  public static boolean tableExists(Tx tx, String tableName) {
    return tx.dsl()
        .fetchExists(selectOne().from(TABLES).where(IN_THIS_SCHEMA).and(TABLE_NAME.eq(tableName)));
  }

  /** Drops a slot table if it exists. Commits the transaction, as every DDL statement does. */
  public static void dropTable(Tx tx, String slotTable) {
    tx.dsl().dropTableIfExists(name(slotTable)).execute();
  }
}
