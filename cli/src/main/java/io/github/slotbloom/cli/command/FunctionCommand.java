package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import picocli.CommandLine.Command;

@Command(
    name = "function",
    description = {
      "Print a stored function that asks a filter.",
      "Statements for the mysql client that make bloom_NUMBER_NAME_might_contain: slotbloom function"
          + " NAME | mysql SCHEMA. The filter needs the hash sha256."
    })
public final class FunctionCommand extends FilterCommand {

  private static final String NEEDS =
      """
      -- Run this in the schema of the filter, with an account that has CREATE ROUTINE, ALTER ROUTINE and
      -- SELECT there, as: mysql SCHEMA <FILE
      -- With the rights of that account the function reads the tables; who asks needs EXECUTE alone.
      -- Where there is a binary log (MySQL has one by default), the server demands SUPER as well, or
      -- SET GLOBAL log_bin_trust_function_creators = 1: without either it says error 1419.
      -- After the filter grew, was replaced or cleared, the function raises an error until this is printed
      -- and run again.""";

  @Override
  int run(Session session, Output output) {
    output.println(NEEDS);
    output.println("DELIMITER //");
    session
        .withTables(() -> session.bloom().admin(name()).functionSql())
        .forEach(
            statement -> {
              output.println(statement);
              output.println("//");
            });
    output.println("DELIMITER ;");
    return ExitCode.DONE;
  }
}
