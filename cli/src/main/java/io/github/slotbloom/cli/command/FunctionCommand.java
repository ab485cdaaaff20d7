package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import picocli.CommandLine.Command;

@Command(
    name = "function",
    description = {
      "Print a stored function that looks up keys in a filter.",
      "Prints statements that create bloom_NUMBER_NAME_might_contain. Run them with: slotbloom"
          + " function NAME | mysql SCHEMA. The filter needs --hash sha256."
    })
public final class FunctionCommand extends FilterCommand {

  private static final String NEEDS =
      """
      -- Run this in the schema of the filter, as mysql SCHEMA <FILE, with an account that has CREATE ROUTINE,
      -- ALTER ROUTINE and SELECT on it.
      -- The function reads the tables with the privileges of that account; callers need only EXECUTE.
      -- With a binary log (MySQL has one by default), the server also requires SUPER, or
      -- SET GLOBAL log_bin_trust_function_creators = 1. Otherwise it reports error 1419.
      -- After the filter grew, was replaced or was cleared, the function raises an error until you print this
      -- again and run it.""";

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
