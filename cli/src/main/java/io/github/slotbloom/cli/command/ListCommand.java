package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.text.Json;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "list", description = "Print the names of all filters.")
public final class ListCommand extends DatabaseCommand {

  @Option(names = "--json", description = "Print them as a JSON array.")
  private boolean json;

  @Override
  int run(Session session, Output output) {
    List<String> names = session.withTables(session.bloom()::list);
    if (json) {
      output.println(Json.of(names));
    } else {
      names.forEach(output::println);
    }
    return ExitCode.DONE;
  }
}
