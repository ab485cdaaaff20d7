package io.github.slotbloom.cli.line;

import io.github.slotbloom.cli.terminal.Output;

/**
 * Prints the new lines as their original bytes. A last line without a separator gets one only if
 * another line follows, so that two lines never become one.
 */
public final class NewLines implements LinePipeline.Printer {

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
    separatorOwed = !line.terminated();
    if (line.terminated()) {
      output.write(separator);
    }
  }
}
