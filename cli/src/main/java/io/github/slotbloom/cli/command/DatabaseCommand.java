package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.Surroundings;
import io.github.slotbloom.cli.Termination;
import io.github.slotbloom.cli.connect.DatabaseOptions;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Messages;
import io.github.slotbloom.cli.terminal.Output;
import java.util.concurrent.Callable;
import picocli.CommandLine.ParentCommand;

/** The base of all commands that need the database. */
abstract class DatabaseCommand implements Callable<Integer> {

  @SuppressWarnings("NullAway.Init") // picocli sets it before the call.
  @ParentCommand
  private RootCommand root;

  @Override
  public Integer call() throws Exception {
    DatabaseOptions options = root.database();
    Output output = new Output(root.surroundings().output());
    prepare();
    try (Session session = Session.open(options, acknowledgesKeys(), messages())) {
      try {
        int exitCode = run(session, output);
        output.flush();
        return exitCode;
      } catch (Exception e) {
        // Report the failure first: closing may take a while when the database does not answer.
        int exitCode = root.failure(e);
        if (exitCode == ExitCode.UNREACHABLE) {
          session.abandon();
        }
        return exitCode;
      }
    }
  }

  /**
   * Does the work that needs no database. It may fail before the database is started or reached.
   */
  void prepare() {}

  /**
   * Returns true if a key that the command answered must survive a crash of the server, so that
   * settings that weaken this are worth a warning. False unless overridden.
   */
  boolean acknowledgesKeys() {
    return false;
  }

  abstract int run(Session session, Output output) throws Exception;

  final Surroundings surroundings() {
    return root.surroundings();
  }

  final Messages messages() {
    return root.surroundings().messages();
  }

  final Termination termination() {
    return root.termination();
  }
}
