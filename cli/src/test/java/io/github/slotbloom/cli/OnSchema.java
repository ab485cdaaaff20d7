package io.github.slotbloom.cli;

import com.fasterxml.jackson.jr.ob.JSON;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A test of commands that work on a schema of its own, as the owner of that. */
abstract class OnSchema {

  @TempDir Path directory;

  TestSchema schema;
  Sql sql;
  InProcess slotbloom;

  /** For what only a process of its own can show. */
  Slotbloom launcher;

  @BeforeEach
  void pointAtTheSchema(TestSchema schema) throws SQLException {
    this.schema = schema;
    sql = new Sql(schema.dataSource());
    slotbloom = new InProcess(directory).on(schema, schema.owner());
    launcher = new Slotbloom(directory).on(schema, schema.owner());
  }

  /** As an account that may make and drop no tables. */
  InProcess withoutDdl() throws SQLException {
    return slotbloom.on(schema, schema.createAccount("SELECT, INSERT, UPDATE, DELETE"));
  }

  Map<String, Object> json(String line) throws Exception {
    return JSON.std.mapFrom(slotbloom.out(line + " --json"));
  }
}
