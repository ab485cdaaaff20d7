package io.github.slotbloom.cli.line;

import io.github.slotbloom.cli.terminal.Output;

/**
 * Prints the new lines as their original bytes. A last line that has no line feed gets one, so that
 * what is appended later begins a line of its own. Where lines end with another byte, it gets that
 * byte only if another line follows, so the bytes of a file stay what they were.
 */
public final class NewLines implements LinePipeline.Printer {

  private static final byte LINE_FEED = '\n';

  private final Output output;
  private final byte separator;
  private boolean separatorOwed;

  public NewLines(Output output, byte separator) {
    this.output = output;
    this.separator = separator;
  }

  @Override
  public void print(Line line, Answer answer) {
    if (answer == Answer.NO) {
      return;
    }
    if (separatorOwed) {
      output.write(separator);
    }
    output.write(line.bytes());
    separatorOwed = !line.terminated() && separator != LINE_FEED;
    if (!separatorOwed) {
      output.write(separator);
    }
  }
}
