package io.github.slotbloom.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the fenced blocks of a Markdown file. */
public final class MarkdownBlocks {

  private static final Pattern BLOCK =
      Pattern.compile(
          "(?:<!-- run: (?<run>[^>]*) -->\\n)?```(?<language>[a-z]+)\\n(?<text>.*?)```\\n",
          Pattern.DOTALL);

  private MarkdownBlocks() {}

  /**
   * One fenced block.
   *
   * @param language the language after the opening fence
   * @param run the comment above the block that says how to run it; empty if there is none
   */
  public record Block(String language, String run, String text) {

    /** Returns the commands of a console block, each with the output that follows it. */
    public List<Command> commands() {
      List<Command> commands = new ArrayList<>();
      for (String part : text.split("(?m)^\\$ ")) {
        if (!part.isEmpty()) {
          int end = part.indexOf('\n');
          commands.add(new Command(part.substring(0, end), part.substring(end + 1)));
        }
      }
      return commands;
    }
  }

  /** One command after a prompt, and its output. */
  public record Command(String line, String output) {}

  /** Reads the blocks of a file of this project. */
  public static List<Block> of(String file) throws IOException {
    List<Block> blocks = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(Files.readString(Checkout.file(file), UTF_8));
    while (matcher.find()) {
      String run = matcher.group("run") == null ? "" : matcher.group("run");
      blocks.add(new Block(matcher.group("language"), run, matcher.group("text")));
    }
    return blocks;
  }
}
