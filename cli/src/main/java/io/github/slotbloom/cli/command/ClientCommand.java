package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.UsageException;
import io.github.slotbloom.cli.connect.DatabaseOptions;
import io.github.slotbloom.cli.connect.JdbcUrl;
import io.github.slotbloom.cli.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Unmatched;

@Command(
    name = "client",
    customSynopsis = "slotbloom client [--home=DIR] [ARGUMENT...]",
    description = {
      "Run the MariaDB client on the embedded database. The server runs until the client exits.",
      "Arguments go to the client: slotbloom client -t -e 'SELECT * FROM bloom_filter'"
    })
public final class ClientCommand implements Callable<Integer> {

  @SuppressWarnings("NullAway.Init") // picocli sets it before the call.
  @ParentCommand
  private RootCommand root;

  @Unmatched private List<String> arguments = new ArrayList<>();

  @Override
  public Integer call() throws IOException, InterruptedException {
    DatabaseOptions options = root.database();
    JdbcUrl url = options.url();
    if (url != null) {
      throw new UsageException(
          "This command connects to the embedded database only; use the mysql or mariadb client for"
              + " "
              + url.shown()
              + ".");
    }
    try (EmbeddedDatabase database =
        EmbeddedDatabase.open(
            options.home(), options.cache(), root.surroundings().messages()::notice)) {
      List<String> command = new ArrayList<>(database.clientCommand());
      command.addAll(arguments);
      Process client = new ProcessBuilder(command).inheritIO().start();
      // Ctrl-C reaches the client as well. The command must still release the database.
      root.termination().stopWith(client::destroy);
      return client.waitFor();
    }
  }
}
