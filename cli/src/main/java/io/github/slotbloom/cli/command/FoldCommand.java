package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import java.util.Locale;
import picocli.CommandLine.Command;

@Command(name = "fold", description = "Write the journal's keys into the slot tables now.")
public final class FoldCommand extends FilterCommand {

  @Override
  int run(Session session, Output output) {
    SlotWriting slots = new SlotWriting(session, name(), surroundings(), termination());
    SlotWriting.Result result = session.withTables(slots::writeAll);
    if (result.interrupted()) {
      slots.noticeOfRest();
    } else if (result.keys() == 0) {
      messages().notice(filter() + ": no keys were waiting to be written to the slots.");
    } else {
      messages()
          .notice(
              String.format(
                  Locale.ROOT, "%s: the slots of %,d keys are written.", filter(), result.keys()));
    }
    return ExitCode.DONE;
  }
}
