package io.github.slotbloom.internal.store.catalog;

import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.val;

import io.github.slotbloom.internal.store.Tables;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.Collection;
import java.util.Map;
import org.jooq.Field;
import org.jooq.SQLDialect;
import org.jooq.impl.SQLDataType;

/** Reads how much disk space tables take. */
public final class TableSizes {

  private static final Field<String> SCHEMA = field(name("table_schema"), SQLDataType.VARCHAR);
  private static final Field<String> NAME = field(name("table_name"), SQLDataType.VARCHAR);

  private static final Field<Long> BYTES =
      coalesce(field(name("data_length"), SQLDataType.BIGINT), val(0L))
          .plus(coalesce(field(name("index_length"), SQLDataType.BIGINT), val(0L)))
          .as("bytes");

  /** The table of the journals of all filters. */
  public static final String JOURNAL = Tables.Journals.TABLE.getName();

  private TableSizes() {}

  /**
   * Returns the bytes of each table, data and indexes, from the statistics of the server. The
   * server counts whole pages and extents, including their free space. Missing tables are left out.
   */
  public static Map<String, Long> read(Tx tx, Collection<String> tables) {
    if (tx.dsl().dialect().family() == SQLDialect.MARIADB) {
      return bytes(tx, tables);
    }
    // MySQL caches these statistics for a day.
    String kept = "information_schema_stats_expiry";
    int before = tx.dsl().fetchSingle("SELECT @@SESSION." + kept).get(0, Integer.class);
    tx.dsl().execute("SET SESSION " + kept + " = 0");
    try {
      return bytes(tx, tables);
    } finally {
      tx.dsl().execute("SET SESSION " + kept + " = " + before);
    }
  }

  private static Map<String, Long> bytes(Tx tx, Collection<String> tables) {
    return tx.dsl()
        .select(NAME.as("name"), BYTES)
        .from(table(name("information_schema", "tables")))
        .where(SCHEMA.eq(field("DATABASE()", SQLDataType.VARCHAR)))
        .and(NAME.in(tables))
        .fetchMap(
            row -> row.get("name", String.class), row -> row.get(BYTES.getName(), Long.class));
  }
}
