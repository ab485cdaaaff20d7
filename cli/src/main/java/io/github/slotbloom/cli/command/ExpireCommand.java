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
        "Set when a filter expires. From then on it no longer exists for any client. Its tables are"
            + " dropped an hour after a process notices; until then this command can restore it.")
public final class ExpireCommand extends FilterCommand {

  @ArgGroup(multiplicity = "1")
  private ExpireTask task = new ExpireTask();

  @Override
  int run(Session session, Output output) {
    Instant at = task.moment(session.bloom());
    if (at == null) {
      session.withTables(() -> session.bloom().admin(name()).neverExpire());
      messages().notice("Filter " + filter() + " will not expire.");
    } else {
      session.withTables(() -> session.bloom().admin(name()).expireAt(at));
      messages().notice("Filter " + filter() + " expires at " + at + ".");
    }
    return ExitCode.DONE;
  }
}
