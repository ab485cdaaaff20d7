package io.github.slotbloom.cli.line;

import io.github.slotbloom.cli.terminal.OutputException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Tracks which lines have reached standard output, of those whose keys a command recorded in the
 * filter. Thread-safe.
 */
public final class Delivery {

  private long recorded;
  private long written;
  private long delivered;
  private @Nullable Line firstWaiting;
  private @Nullable Line lastAnswered;

  /** Notes lines that were answered. Their new keys are recorded. */
  public synchronized void answered(List<Line> lines, List<Answer> answers) {
    recorded += answers.stream().filter(Answer.YES::equals).count();
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

  /** Adds to a print failure which lines were recorded and may not have been printed. */
  public synchronized OutputException explain(OutputException failure) {
    long missing = recorded - delivered;
    if (missing == 0 || firstWaiting == null || lastAnswered == null) {
      return failure;
    }
    return new OutputException(
        failure,
        String.format(
            Locale.ROOT,
            "From %s to %s, %,d new keys are recorded and may not have been printed; the next"
                + " run takes them as seen. Nothing after that is recorded. Make room for the"
                + " output, take these lines from the input yourself, and run the command again on"
                + " the lines after them.",
            firstWaiting.place(),
            lastAnswered.place(),
            missing));
  }
}
