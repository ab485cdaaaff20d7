package io.github.slotbloom.resp.command;

import io.github.slotbloom.resp.command.Command.Trait;
import io.github.slotbloom.resp.filter.Answers;
import io.github.slotbloom.resp.filter.Family;
import io.github.slotbloom.resp.filter.Lane;
import io.github.slotbloom.resp.filter.Lane.Kind;
import io.github.slotbloom.resp.filter.Lanes;
import io.github.slotbloom.resp.protocol.Request;
import io.github.slotbloom.resp.reply.Reply;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Makes commands about keys of one family of filters. Neighbors that do the same become one call.
 */
final class KeyCommands {

  private final Lanes lanes;
  private final Family family;

  KeyCommands(Lanes lanes, Family family) {
    this.lanes = lanes;
    this.family = family;
  }

  Command adding(
      String name,
      int fewest,
      int most,
      Function<Request, Items> items,
      Function<Answers, Reply> reply) {
    return command(Kind.ADD, name, fewest, most, items, answers -> answers.thenApply(reply))
        .with(Trait.WRITES);
  }

  Command asking(String name, int most, Function<Answers, Reply> reply) {
    return command(
        Kind.ASK,
        name,
        3,
        most,
        request -> Items.of(request, null),
        answers -> answers.thenApply(reply));
  }

  Command removing(
      String name, Function<CompletableFuture<Answers>, CompletableFuture<Reply>> reply) {
    return command(Kind.REMOVE, name, 3, 3, request -> Items.of(request, null), reply)
        .with(Trait.WRITES);
  }

  private Command command(
      Kind kind,
      String name,
      int fewest,
      int most,
      Function<Request, Items> items,
      Function<CompletableFuture<Answers>, CompletableFuture<Reply>> reply) {
    Function<Request, Lane> lane = request -> new Lane(kind, family, Words.name(request, 1));
    return Command.of(
            name,
            fewest,
            most,
            (session, request) -> {
              Items its = items.apply(request);
              return reply.apply(lanes.submit(lane.apply(request), its.keys(), its.make()));
            })
        .joining(lane);
  }
}
