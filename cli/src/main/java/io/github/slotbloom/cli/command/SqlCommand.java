package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.report.InspectionQuery;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "sql",
    description = {
      "Print SQL about a filter.",
      "Queries that show how full it is, its error rate, skew, backlog, size and history, for any"
          + " client: slotbloom sql NAME | mysql --table SCHEMA",
      "With --function: statements for the mysql client that make the function"
          + " bloom_NUMBER_NAME_might_contain. The filter needs the hash sha256."
    })
public final class SqlCommand extends FilterCommand {

  private static final String FUNCTION_NEEDS =
      """
      -- Run this in the schema of the filter, with an account that has CREATE ROUTINE, ALTER ROUTINE and
      -- SELECT there, as: mysql SCHEMA <FILE
      -- With the rights of that account the function reads the tables; who asks needs EXECUTE alone.
      -- Where there is a binary log (MySQL has one by default), the server demands SUPER as well, or
      -- SET GLOBAL log_bin_trust_function_creators = 1: without either it says error 1419.
      -- After the filter grew, was replaced or cleared, the function raises an error until this is printed
      -- and run again.""";

  private static final String QUERIES_NEED =
      """
      -- Filter %s. Run this in its schema, with an account that has SELECT there, as a whole
      -- (mysql --table SCHEMA <FILE) or query by query. It locks no row.

      -- So that MySQL shows sizes of now. MariaDB always does, and passes over this.
      /*!80000 SET SESSION information_schema_stats_expiry = 0 */;

      -- Some queries read a whole slot table, which max_join_size may forbid (error 1104).
      SET SESSION sql_big_selects = 1;""";

  @Option(
      names = "--function",
      description = "Print the function that tells whether a key may be in the filter.")
  private boolean function;

  @Override
  int run(Session session, Output output) {
    if (function) {
      printFunction(output, session.withTables(() -> session.bloom().admin().functionSql(name())));
    } else {
      printQueries(output, session.withTables(() -> session.bloom().admin().inspectionSql(name())));
    }
    return ExitCode.DONE;
  }

  private static void printFunction(Output output, List<String> statements) {
    output.println(FUNCTION_NEEDS);
    output.println("DELIMITER //");
    for (String statement : statements) {
      output.println(statement);
      output.println("//");
    }
    output.println("DELIMITER ;");
  }

  private void printQueries(Output output, List<InspectionQuery> queries) {
    output.println(QUERIES_NEED.formatted(filter()));
    for (int i = 0; i < queries.size(); i++) {
      InspectionQuery query = queries.get(i);
      output.println("");
      output.println("-- " + (i + 1) + ". " + query.title());
      query.comment().lines().map("--    "::concat).forEach(output::println);
      output.println(query.sql());
    }
  }
}
