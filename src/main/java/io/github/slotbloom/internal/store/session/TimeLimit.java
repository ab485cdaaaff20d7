package io.github.slotbloom.internal.store.session;

import static org.jooq.impl.DSL.inline;

import java.time.Duration;
import org.jooq.Record;
import org.jooq.Result;
import org.jooq.SQLDialect;
import org.jooq.SelectQuery;

/**
 * Limits how long one statement may take, including its waits for locks, and changes no session
 * setting. A shorter lock wait timeout of the session still applies.
 */
public final class TimeLimit {

  private TimeLimit() {}

  public static Result<Record> fetch(Tx tx, SelectQuery<Record> query, Duration atMost) {
    // Zero would mean that there is no limit.
    long millis = Math.max(1, atMost.toMillis());
    if (tx.dsl().dialect() == SQLDialect.MARIADB) {
      return tx.dsl()
          .resultQuery(
              "SET STATEMENT max_statement_time = {0} FOR {1}", inline(millis / 1000.0), query)
          .coerce(query.getSelect())
          .fetch();
    }
    query.addHint("/*+ MAX_EXECUTION_TIME(" + millis + ") */");
    return query.fetch();
  }
}
