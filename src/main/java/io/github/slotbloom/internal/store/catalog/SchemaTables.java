package io.github.slotbloom.internal.store.catalog;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.table;

import io.github.slotbloom.internal.sql.InspectionQueries;
import io.github.slotbloom.internal.store.Tables.Ends;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.Tables.Folds;
import io.github.slotbloom.internal.store.Tables.Generations;
import io.github.slotbloom.internal.store.Tables.HashBlockRows;
import io.github.slotbloom.internal.store.Tables.Journals;
import io.github.slotbloom.internal.store.Tables.Replacements;
import io.github.slotbloom.internal.store.Tables.RescuedKeys;
import io.github.slotbloom.internal.store.Tables.Usages;
import io.github.slotbloom.internal.store.Tx;
import java.util.List;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/** Checks which tables and views the schema holds, and drops slot tables. */
public final class SchemaTables {

  private static final Field<String> TABLE_NAME = field(name("table_name"), SQLDataType.VARCHAR);

  private static final Condition IN_THIS_SCHEMA =
      field(name("table_schema"), SQLDataType.VARCHAR).eq(field("DATABASE()", SQLDataType.VARCHAR));

  /** Read by people, and by {@link InspectionQueries}. */
  private static final List<String> VIEWS =
      List.of("bloom_filter_status", "bloom_generation_status", "bloom_replacement_status");

  private SchemaTables() {}

  /** Returns true if the base tables exist, in any version. */
  public static boolean isMigrated(Tx tx) {
    return tableExists(tx, Filters.TABLE.getName());
  }

  /** Returns true if the base tables and views are as the newest migration leaves them. */
  public static boolean isUpToDate(Tx tx) {
    return columnExists(tx, Filters.TABLE, Filters.GENERATION_TOKEN)
        && columnExists(tx, Filters.TABLE, Filters.ON_FULL)
        && columnExists(tx, Generations.TABLE, Generations.CUTOVER_SEQ)
        && tableExists(tx, Replacements.TABLE.getName())
        && columnExists(tx, Filters.TABLE, Filters.RETAIN_HASHES)
        && tableExists(tx, HashBlockRows.TABLE.getName())
        && columnExists(tx, Folds.TABLE, Folds.MERGE_TOKEN)
        && columnExists(tx, Filters.TABLE, Filters.IMPORTED)
        && tableExists(tx, Usages.TABLE.getName())
        && columnExists(tx, Journals.TABLE, Ends.KEYS_ADDED)
        && columnExists(tx, Journals.TABLE, Ends.KEYS_REMOVED)
        && columnExists(tx, Filters.TABLE, Filters.EXPIRY_NOTICED_AT)
        && columnExists(tx, Journals.TABLE, Ends.KEYS_RENEWED)
        && columnExists(tx, Generations.TABLE, Generations.KEYS_REMOVED)
        && tableExists(tx, RescuedKeys.TABLE.getName())
        && VIEWS.stream().allMatch(view -> tableExists(tx, view));
  }

  private static boolean columnExists(Tx tx, Table<?> owner, Field<?> column) {
    return tx.dsl()
        .fetchExists(
            selectOne()
                .from(table(name("information_schema", "columns")))
                .where(IN_THIS_SCHEMA)
                .and(TABLE_NAME.eq(owner.getName()))
                .and(field(name("column_name"), SQLDataType.VARCHAR).eq(column.getName())));
  }

  /** Returns true if the schema holds a table or view of that name. */
  public static boolean tableExists(Tx tx, String tableName) {
    return tx.dsl()
        .fetchExists(
            selectOne()
                .from(table(name("information_schema", "tables")))
                .where(IN_THIS_SCHEMA)
                .and(TABLE_NAME.eq(tableName)));
  }

  /** Drops a slot table if it exists. Commits the transaction, as every DDL statement does. */
  public static void dropTable(Tx tx, String slotTable) {
    tx.dsl().dropTableIfExists(name(slotTable)).execute();
  }
}
