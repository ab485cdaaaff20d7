package io.github.slotbloom.cli;

/**
 * Prints the lines that are new, as the bytes that came. A last line without a line feed gets one
 * only when another line follows, so that two lines never become one.
 */
final class NewLines implements LinePipeline.Printer {

  private final Output output;
  private boolean lineFeedOwed;

  NewLines(Output output) {
    this.output = output;
  }

  @Override
  public void print(Line line, Answer answer) {
    if (answer == Answer.NO) {
      return;
    }
    if (lineFeedOwed) {
      output.write('\n');
    }
    output.write(line.bytes());
    lineFeedOwed = !line.terminated();
    if (line.terminated()) {
      output.write('\n');
    }
  }
}
