package io.github.slotbloom.cli.command;

import io.github.slotbloom.FilterAdmin;
import io.github.slotbloom.cli.CommandException;
import io.github.slotbloom.cli.Surroundings;
import io.github.slotbloom.cli.Termination;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Connectivity;
import io.github.slotbloom.cli.terminal.ProgressBar;
import io.github.slotbloom.cli.terminal.StatusLine;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.SlotBloomException;
import java.util.Locale;
import java.util.concurrent.CancellationException;

/**
 * Writes keys that are durable in the journal to the slot tables. That may take longer than adding
 * them, so it shows how far it is, and Ctrl-C ends it.
 */
final class SlotWriting {

  /** The most keys that need no word before they are written. It takes one or two seconds. */
  static final long FEW_KEYS = 100_000;

  private final FilterAdmin admin;
  private final String filter;
  private final Surroundings surroundings;
  private final Termination termination;
  private volatile double share;

  SlotWriting(Session session, String filter, Surroundings surroundings, Termination termination) {
    admin = session.bloom().admin(filter);
    this.filter = filter;
    this.surroundings = surroundings;
    this.termination = termination;
  }

  /** Writes all keys that wait, unless the user ends it. */
  Result writeAll() {
    long keys = admin.unfoldedKeys();
    // The notice would come between lines of progress.
    if (keys > FEW_KEYS && !surroundings.terminal().isError()) {
      notice(String.format(Locale.ROOT, "Writing the slots of %,d keys ...", keys));
    }
    try (StatusLine status = new StatusLine(surroundings, () -> inWords(keys))) {
      status.start();
      admin.fold(this::goOn);
      return new Result(keys, false);
    } catch (CancellationException e) {
      return new Result(keys, true);
    }
  }

  /**
   * The end of writing slots.
   *
   * @param keys how many keys waited before
   * @param interrupted true if the user ended it before all of them were written
   */
  record Result(long keys, boolean interrupted) {}

  /** Writes all keys that wait, after a command that has done its own work already. */
  void writeAllAfterwards() {
    // A command that is told to end does not do work that can wait, and says so in few words.
    if (termination.requested()) {
      return;
    }
    try {
      if (writeAll().interrupted()) {
        noticeOfRest();
      }
    } catch (FilterNotFoundException e) {
      throw gone(e);
    } catch (SlotBloomException e) {
      notice(
          "The slots could not be written yet ("
              + Connectivity.explain(e)
              + "). Nothing is lost: the keys stay in the journal until another command writes"
              + " them.");
    }
  }

  /** Says which keys are left for later, if there are any. */
  void noticeOfRest() {
    long keys;
    try {
      keys = admin.unfoldedKeys();
    } catch (FilterNotFoundException e) {
      throw gone(e);
    }
    if (keys > 0) {
      notice(
          String.format(
              Locale.ROOT,
              "All keys are durable. The slots of %,d keys are not written yet: the next run will"
                  + " write them and take longer. To write them now, run slotbloom fold %s.",
              keys,
              filter));
    }
  }

  private CommandException gone(FilterNotFoundException e) {
    return new CommandException(
        "Filter "
            + filter
            + " was dropped or renamed while this command ran. Everything that was read was"
            + " answered and recorded; if the filter was dropped, its keys are gone with it.",
        e);
  }

  private void notice(String text) {
    surroundings.messages().notice(text);
  }

  private void goOn(double now) {
    share = now;
    if (termination.requested()) {
      throw new CancellationException();
    }
  }

  private String inWords(long keys) {
    return ProgressBar.of(share)
        + String.format(Locale.ROOT, "Writing the slots of %,d keys ...", keys);
  }
}
