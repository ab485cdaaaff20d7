package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import java.time.Instant;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;

@Command(
    name = "expire",
    description =
        "Say when a filter expires. From then on it is there for nobody, and its tables are dropped"
            + " an hour after that was noticed; until then this command brings it back.")
public final class ExpireCommand extends FilterCommand {

  @ArgGroup(multiplicity = "1")
  private ExpireTask task = new ExpireTask();

  @Override
  int run(Session session, Output output) {
    Instant at = task.moment(session.bloom());
    if (at == null) {
      session.withTables(() -> session.bloom().admin(name()).neverExpire());
      messages().notice("Filter " + filter() + " never expires.");
    } else {
      session.withTables(() -> session.bloom().admin(name()).expireAt(at));
      messages().notice("Filter " + filter() + " expires at " + at + ".");
    }
    return ExitCode.DONE;
  }
}
