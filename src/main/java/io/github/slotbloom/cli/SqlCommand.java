package io.github.slotbloom.cli;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "sql",
    description = {
      "Print SQL about a filter.",
      "With --function: statements for the mysql client that make the function"
          + " bloom_NAME_might_contain. The filter needs the hash sha256."
    })
final class SqlCommand extends FilterCommand {

  private static final String NEEDS =
      """
      -- Run this in the schema of the filter, with an account that has CREATE ROUTINE, ALTER ROUTINE and
      -- SELECT there, as: mysql SCHEMA <FILE
      -- With the rights of that account the function reads the tables; who asks needs EXECUTE alone.
      -- Where there is a binary log (MySQL has one by default), the server demands SUPER as well, or
      -- SET GLOBAL log_bin_trust_function_creators = 1: without either it says error 1419.
      -- After the filter grew, was replaced or cleared, the function raises an error until this is printed
      -- and run again.""";

  @Option(
      names = "--function",
      description = "Print the function that tells whether a key may be in the filter.")
  private boolean function;

  @Override
  void prepare() {
    if (!function) {
      throw new UsageException("Say what to print: --function.");
    }
  }

  @Override
  int run(Session session, Output output) {
    List<String> statements = session.withTables(() -> session.bloom().functionSql(name()));
    output.println(NEEDS);
    output.println("DELIMITER //");
    for (String statement : statements) {
      output.println(statement);
      output.println("//");
    }
    output.println("DELIMITER ;");
    return ExitCode.DONE;
  }
}
