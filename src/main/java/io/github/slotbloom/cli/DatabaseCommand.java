package io.github.slotbloom.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.ParentCommand;

/** What the commands share that need the database. */
abstract class DatabaseCommand implements Callable<Integer> {

  @SuppressWarnings("NullAway.Init") // picocli sets it before it calls.
  @ParentCommand
  private Main main;

  @Override
  public Integer call() throws Exception {
    Output output = Output.standard();
    try (Session session = Session.open(main.database())) {
      int exitCode = run(session, output);
      output.flush();
      return exitCode;
    }
  }

  abstract int run(Session session, Output output) throws Exception;

  final Termination termination() {
    return main.termination();
  }
}
