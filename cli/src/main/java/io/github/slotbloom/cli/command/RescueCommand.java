package io.github.slotbloom.cli.command;

import io.github.slotbloom.BlockList;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.Rescue;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.UsageException;
import io.github.slotbloom.cli.line.Effect;
import io.github.slotbloom.cli.text.UtcTime;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "rescue",
    description = {
      "Exempt keys from a block list, listed or not, and print a line for each: 1 if the key was"
          + " not rescued before or 0 if it was, a tab, and the key. With --end, 1 if its rescue"
          + " ended or 0 if it was not rescued.",
      "exists --unless-rescued checks what is blocked. Adding a key again does not end its rescue."
    })
public final class RescueCommand extends KeysCommand {

  @Option(
      names = "--why",
      paramLabel = "TEXT",
      description = "Why the keys must not be blocked. Required, except with --end.")
  private @Nullable String why;

  @Option(
      names = "--by",
      paramLabel = "NAME",
      description = "Who rescues the keys. Default: the database account.")
  private @Nullable String by;

  @Option(
      names = "--until",
      paramLabel = "TIME",
      converter = UtcTime.class,
      description =
          "Block the keys again from this time on by the database clock, such as"
              + " 2027-01-31T00:00:00Z. Default: never.")
  private @Nullable Instant until;

  @Option(names = "--end", description = "End the rescue of the keys.")
  private boolean end;

  private @Nullable Rescue rescue;

  @Override
  void check() {
    if (end) {
      if (why != null || by != null || until != null) {
        throw new UsageException("--end cannot be combined with --why, --by or --until.");
      }
      return;
    }
    if (why == null) {
      throw new UsageException("Add --why TEXT: why the keys must not be blocked.");
    }
    Rescue given = Rescue.because(why);
    given = by == null ? given : given.by(by);
    rescue = until == null ? given : given.until(until);
  }

  @Override
  <K> boolean[] ask(BloomFilter<K> filter, List<K> keys) {
    BlockList<K> list = filter.blockList();
    return rescue == null ? list.endRescueEach(keys) : list.rescueEach(keys, rescue);
  }

  @Override
  Effect effect() {
    return end ? Effect.RESCUE_ENDED : Effect.RESCUED;
  }

  @Override
  int exitCode(boolean arguments, boolean allYes) {
    return ExitCode.DONE;
  }
}
