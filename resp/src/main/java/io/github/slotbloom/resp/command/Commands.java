package io.github.slotbloom.resp.command;

import io.github.slotbloom.resp.command.Command.Trait;
import io.github.slotbloom.resp.filter.Lane;
import io.github.slotbloom.resp.filter.Lanes;
import io.github.slotbloom.resp.protocol.Request;
import io.github.slotbloom.resp.reply.Reply;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All commands, and the rules that hold for each of them. Thread-safe. */
public final class Commands implements Runner {

  /** So much of an unknown command is repeated in its error. */
  private static final int SHOWN = 128;

  private final Map<String, Command> table = new TreeMap<>();
  private final Statistics statistics;
  private final long mostQueuedBytes;

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
    Stream.of(
            new BloomCommands(lanes, database, settings.defaultCapacity()).all(),
            new CuckooCommands(lanes, database).all(),
            new KeyspaceCommands(database, lanes, settings.allowFlush()).all(),
            new ExpiryCommands(database, lanes).all(),
            new ConnectionCommands(sessions, new Health(database)).all(),
            new QueueCommands(this).all(),
            new ServerCommands(database, lanes, sessions, statistics, port).all(table),
            RefusedCommands.all())
        .flatMap(List::stream)
        .forEach(command -> table.put(command.name(), command));
  }

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
    Command command = table.get(request.option(0));
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
    Command command = table.get(request.option(0));
    if (command == null || command.lane() == null || !command.takes(request.size())) {
      return null;
    }
    try {
      return command.lane().apply(request);
    } catch (CommandException e) {
      return null;
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
