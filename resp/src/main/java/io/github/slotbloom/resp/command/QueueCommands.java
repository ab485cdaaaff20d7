package io.github.slotbloom.resp.command;

import io.github.slotbloom.resp.command.Command.Trait;
import io.github.slotbloom.resp.protocol.Request;
import io.github.slotbloom.resp.reply.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * MULTI, EXEC and DISCARD. What was queued is carried out in order, and other clients may come in
 * between: each command is a transaction of its own.
 */
final class QueueCommands {

  private final Runner runner;

  QueueCommands(Runner runner) {
    this.runner = runner;
  }

  List<Command> all() {
    return List.of(
        Command.atOnce("MULTI", 1, 1, QueueCommands::begin).with(Trait.NEVER_QUEUED),
        Command.of("EXEC", 1, 1, this::execute).with(Trait.NEVER_QUEUED),
        Command.atOnce("DISCARD", 1, 1, QueueCommands::discard).with(Trait.NEVER_QUEUED),
        Command.atOnce("UNWATCH", 1, 1, (session, request) -> Reply.OK));
  }

  private static Reply begin(Session session, Request request) {
    if (session.queues()) {
      session.breakQueue();
      throw new CommandException("ERR MULTI calls can not be nested");
    }
    session.beginQueue();
    return Reply.OK;
  }

  private static Reply discard(Session session, Request request) {
    if (!session.queues()) {
      throw new CommandException("ERR DISCARD without MULTI");
    }
    session.endQueue();
    return Reply.OK;
  }

  private CompletableFuture<Reply> execute(Session session, Request request) {
    if (!session.queues()) {
      throw new CommandException("ERR EXEC without MULTI");
    }
    boolean broken = session.isQueueBroken();
    List<Request> queued = session.endQueue();
    if (broken) {
      throw new CommandException("EXECABORT Transaction discarded because of previous errors.");
    }
    CompletableFuture<Reply> all = new CompletableFuture<>();
    List<Reply> answers = new ArrayList<>();
    InOrder row =
        new InOrder(
            session,
            runner,
            () -> true,
            answer -> {
              answers.add(answer);
              if (answers.size() == queued.size()) {
                all.complete(Reply.array(answers));
              }
            },
            () -> {});
    queued.forEach(row::add);
    row.progress();
    return queued.isEmpty() ? CompletableFuture.completedFuture(Reply.array(answers)) : all;
  }
}
