package io.github.slotbloom.resp.command;

import io.github.slotbloom.resp.command.Command.Trait;
import io.github.slotbloom.resp.filter.Lane;
import io.github.slotbloom.resp.filter.Lanes;
import io.github.slotbloom.resp.protocol.Request;
import io.github.slotbloom.resp.reply.Reply;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** All commands, and the rules that hold for each of them. Thread-safe. */
public final class Commands {

  /** So much of an unknown command is repeated in its error. */
  private static final int SHOWN = 128;

  private final CommandTable table = new CommandTable();
  private final Statistics statistics;
  private final long mostQueuedBytes;
  private final Runner runner = new Rules();

  /**
   * Creates the commands.
   *
   * @param settings what the server was started with
   * @param database where the filters are
   * @param lanes to the filters
   * @param sessions the clients
   * @param statistics are kept by the commands
   * @param port that clients connect to
   */
  public Commands(
      CommandSettings settings,
      Database database,
      Lanes lanes,
      Sessions sessions,
      Statistics statistics,
      IntSupplier port) {
    this.statistics = statistics;
    mostQueuedBytes = settings.mostQueuedBytes();
    Filters filters = new Filters(database);
    new BloomCommands(lanes, filters, settings.defaultCapacity()).addTo(table);
    new CuckooCommands(lanes, filters).addTo(table);
    new KeyspaceCommands(database, lanes, settings.allowFlush()).addTo(table);
    new ExpiryCommands(database, lanes).addTo(table);
    new ConnectionCommands(sessions, new Health(database)).addTo(table);
    new QueueCommands(runner).addTo(table);
    new RefusedCommands().addTo(table);
    new ServerCommands(database, lanes, sessions, statistics, port).addTo(table);
  }

  /**
   * Returns what carries out the requests of one client.
   *
   * @param session the client
   * @param takesAnswers tells whether answers can be given now
   * @param answers takes them
   * @param onProgress is called after answers were given because something completed elsewhere
   */
  public InOrder inOrder(
      Session session, BooleanSupplier takesAnswers, Consumer<Reply> answers, Runnable onProgress) {
    return new InOrder(session, runner, takesAnswers, answers, onProgress);
  }

  private final class Rules implements Runner {

    @Override
    public CompletableFuture<Reply> run(Session session, Request request) {
      long begun = System.nanoTime();
      session.heard();
      CompletableFuture<Reply> answer;
      try {
        answer = begin(session, request).exceptionally(Failures::reply);
      } catch (RuntimeException e) {
        answer = CompletableFuture.completedFuture(Failures.reply(e));
      }
      return answer.whenComplete(
          (reply, failure) ->
              statistics.answered(reply instanceof Reply.Failure, System.nanoTime() - begun));
    }

    private CompletableFuture<Reply> begin(Session session, Request request) {
      Command command = table.find(request.option(0));
      if (!session.isTrusted() && (command == null || !command.is(Trait.FOR_STRANGERS))) {
        throw new CommandException("NOAUTH Authentication required.");
      }
      if (command == null) {
        session.breakQueue();
        throw unknown(request);
      }
      if (!command.takes(request.size())) {
        session.breakQueue();
        throw CommandException.wrongNumberOfArguments(request.text(0));
      }
      if (session.queues() && !command.is(Trait.NEVER_QUEUED)) {
        return CompletableFuture.completedFuture(queue(session, command, request));
      }
      return command.action().run(session, request);
    }

    private Reply queue(Session session, Command command, Request request) {
      if (command.is(Trait.NOT_IN_QUEUE)) {
        session.breakQueue();
        throw new CommandException("ERR Command not allowed inside a transaction");
      }
      if (!session.queue(request, mostQueuedBytes)) {
        session.breakQueue();
        throw new CommandException("ERR the transaction is too large");
      }
      return new Reply.Status("QUEUED");
    }

    @Override
    public @Nullable Lane lane(Session session, Request request) {
      if (!session.isTrusted() || session.queues()) {
        return null;
      }
      Command command = table.find(request.option(0));
      if (command == null || command.kind() == null || !command.takes(request.size())) {
        return null;
      }
      try {
        return new Lane(command.kind(), command.family(), Words.name(request, 1));
      } catch (CommandException e) {
        return null;
      }
    }
  }

  private static CommandException unknown(Request request) {
    StringBuilder arguments = new StringBuilder();
    for (int place = 1; place < request.size() && arguments.length() < SHOWN; place++) {
      arguments
          .append('\'')
          .append(cut(request.text(place), SHOWN - arguments.length()))
          .append("' ");
    }
    return new CommandException(
        "ERR unknown command '%s', with args beginning with: %s"
            .formatted(cut(request.text(0), SHOWN), arguments));
  }

  private static String cut(String text, int length) {
    return text.length() <= length ? text : text.substring(0, length);
  }
}
