package io.github.slotbloom.cli.line;

import io.github.slotbloom.cli.CommandException;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.FailureCode;
import io.github.slotbloom.cli.terminal.Connectivity;
import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.RemovedKeysFullException;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;

/**
 * Takes the keys out of lines and passes them to the filter. If it fails, it names the line at
 * which it stopped.
 *
 * @param effect what the operation does to keys that it answers with yes
 */
public record LineAnswerer<K>(
    KeyField keyField, KeyFormat<K> format, Effect effect, Operation<K> operation) {

  /** Asks the filter. Gives one answer per key, in order. */
  public interface Operation<K> {
    boolean[] apply(List<K> keys);
  }

  /** Receives answered lines, with one answer per line. */
  public interface Sink {
    void answered(List<Line> lines, List<Answer> answers) throws InterruptedException;
  }

  /**
   * Answers lines in order, in one or more parts.
   *
   * @throws CommandException if a line has no key of the format, the filter or its set of removed
   *     keys is full, it was dropped or renamed, or the database does not answer; the lines before
   *     it are answered first
   */
  public void answer(List<Line> batch, Sink sink) throws InterruptedException {
    List<K> keys = new ArrayList<>(batch.size());
    BitSet keyed = new BitSet(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      Line line = batch.get(i);
      byte[] written = keyField.of(line.bytes());
      if (written != null) {
        try {
          keys.add(format.parse(written));
          keyed.set(i);
        } catch (BadKeyException e) {
          ask(batch.subList(0, i), keyed, keys, sink);
          throw new CommandException(
              line.place() + ": " + e.getMessage() + ". " + nothingFromHere(), e);
        }
      }
    }
    ask(batch, keyed, keys, sink);
  }

  /**
   * @param keyed the positions of the lines that have a key
   * @param keys the keys of those lines
   */
  private void ask(List<Line> batch, BitSet keyed, List<K> keys, Sink sink)
      throws InterruptedException {
    if (batch.isEmpty()) {
      return;
    }
    boolean[] yes;
    try {
      yes = keys.isEmpty() ? new boolean[0] : operation.apply(keys);
    } catch (FilterFullException | RemovedKeysFullException e) {
      if (batch.size() == 1) {
        throw full(batch.get(0), e);
      }
      // Do everything that fits, up to the last line.
      int half = batch.size() / 2;
      int keysInHalf = keyed.get(0, half).cardinality();
      ask(batch.subList(0, half), keyed, keys.subList(0, keysInHalf), sink);
      ask(
          batch.subList(half, batch.size()),
          keyed.get(half, batch.size()),
          keys.subList(keysInHalf, keys.size()),
          sink);
      return;
    } catch (FilterNotFoundException e) {
      throw new CommandException(
          FailureCode.of(e),
          batch.get(0).place() + ": " + e.getMessage() + " " + nothingFromHere(),
          e);
    } catch (WriteFailedException | FilterUnavailableException e) {
      throw cutOff(batch, e);
    }
    List<Answer> answers = new ArrayList<>(batch.size());
    int next = 0;
    for (int i = 0; i < batch.size(); i++) {
      answers.add(!keyed.get(i) ? Answer.WITHOUT_KEY : yes[next++] ? Answer.YES : Answer.NO);
    }
    sink.answered(batch, answers);
  }

  private String nothingFromHere() {
    return effect == Effect.NONE
        ? "This line and later ones were not answered."
        : "This line and later ones are neither " + effect.done() + " nor printed.";
  }

  private CommandException cutOff(List<Line> batch, SlotBloomException e) {
    boolean unsure = e instanceof WriteFailedException add && add.outcome() == Outcome.UNKNOWN;
    String fate =
        unsure
            ? "It is not known whether this line and the next "
                + (batch.size() - 1)
                + " are "
                + effect.done()
                + "; they are not printed, and the next run may count them as "
                + effect.later()
                + "."
            : nothingFromHere();
    return new CommandException(
        FailureCode.of(e),
        batch.get(0).place()
            + ": "
            + Connectivity.explain(e)
            + ". "
            + fate
            + " Fix that and run the command again.",
        e);
  }

  private CommandException full(Line line, SlotBloomException e) {
    return e instanceof FilterFullException full
        ? full(line, full)
        : new CommandException(
            FailureCode.of(e), line.place() + ": " + e.getMessage() + " " + nothingFromHere(), e);
  }

  private CommandException full(Line line, FilterFullException e) {
    return new CommandException(
        ExitCode.FULL,
        String.format(
            Locale.ROOT,
            "%s: filter %s is full, with %,d of %,d keys. %s Raise its capacity with slotbloom grow"
                + " %s --capacity N, and run the command again. (While it is being replaced, wait"
                + " until that ends: slotbloom grow %6$s --status.)",
            line.place(),
            e.filter(),
            e.keysAdded(),
            e.capacity(),
            nothingFromHere(),
            e.filter()),
        e);
  }
}
