package io.github.slotbloom.cli.line;

import io.github.slotbloom.cli.terminal.OutputException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Tracks which lines have reached standard output, of those whose keys a command recorded in the
 * filter or removed from it. Thread-safe.
 */
public final class Delivery {

  private final Effect effect;
  private long done;
  private long written;
  private long delivered;
  private @Nullable Line firstWaiting;
  private @Nullable Line lastAnswered;

  public Delivery(Effect effect) {
    this.effect = effect;
  }

  /** Notes lines that were answered. The filter has what they change. */
  public synchronized void answered(List<Line> lines, List<Answer> answers) {
    done += answers.stream().filter(Answer.YES::equals).count();
    lastAnswered = lines.get(lines.size() - 1);
  }

  /** Notes a line that is about to be printed. */
  public synchronized void printing(Line line, Answer answer) {
    if (answer == Answer.YES) {
      written++;
    }
    if (firstWaiting == null) {
      firstWaiting = line;
    }
  }

  /** Notes that all lines printed so far have left this process. */
  public synchronized void flushed() {
    delivered = written;
    firstWaiting = null;
  }

  /** Adds to a print failure which lines took effect and may not have been printed. */
  public synchronized OutputException explain(OutputException failure) {
    long missing = done - delivered;
    if (effect == Effect.NONE || missing == 0 || firstWaiting == null || lastAnswered == null) {
      return failure;
    }
    return new OutputException(
        failure,
        String.format(
            Locale.ROOT,
            "%,d %s%s %s and may not have been printed: %s. The next run counts them as %s. No"
                + " later line is %4$s. Free space for the output, copy these lines from the input"
                + " yourself, and run the command again on the lines after them.",
            missing,
            effect == Effect.RECORDED ? "new " : "",
            missing == 1 ? "key is" : "keys are",
            effect.done(),
            firstWaiting.placesUpTo(lastAnswered),
            effect.later()));
  }
}
