package io.github.slotbloom.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that committed data survives when a test kills its server. */
@DatabaseContract(onOne = true)
@Timeout(180)
class KillableServerIT {

  @Test
  void onlyCommittedRowsSurviveACrash(TestDatabase database) throws Exception {
    try (KillableServer server = KillableServer.like(database);
        TestSchema schema = server.database().createSchema()) {
      Sql sql = new Sql(schema.dataSource());
      sql.run("CREATE TABLE t (a INT PRIMARY KEY)");
      for (int i = 0; i < 3; i++) {
        sql.run("INSERT INTO t VALUES (?)", i);
        Connection open = schema.dataSource().getConnection();
        open.setAutoCommit(false);
        Sql.run(open, "INSERT INTO t VALUES (?)", 100 + i);
        server.crash();
        open.abort(Runnable::run);
        assertThat(sql.number("SELECT COUNT(*) FROM t")).isEqualTo(i + 1);
        assertThat(sql.number("SELECT MAX(a) FROM t")).isEqualTo(i);
      }
    }
  }
}
