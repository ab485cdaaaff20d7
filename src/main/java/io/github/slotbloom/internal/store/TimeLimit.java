package io.github.slotbloom.internal.store;

import static org.jooq.impl.DSL.inline;

import java.time.Duration;
import java.util.List;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Result;
import org.jooq.SQLDialect;
import org.jooq.SelectQuery;

/**
 * Makes one statement give up after some time, waits for locks included, without changing a setting
 * of the session. A shorter limit of the session's own on lock waits still holds.
 */
public final class TimeLimit {

  private TimeLimit() {}

  public static Result<Record> fetch(
      Tx tx, SelectQuery<Record> query, List<Field<?>> fields, Duration atMost) {
    // Zero would mean no limit.
    long millis = Math.max(1, atMost.toMillis());
    if (tx.dsl().dialect() == SQLDialect.MARIADB) {
      return tx.dsl()
          .resultQuery(
              "SET STATEMENT max_statement_time = {0} FOR {1}", inline(millis / 1000.0), query)
          .coerce(fields)
          .fetch();
    }
    query.addHint("/*+ MAX_EXECUTION_TIME(" + millis + ") */");
    return query.fetch();
  }
}
