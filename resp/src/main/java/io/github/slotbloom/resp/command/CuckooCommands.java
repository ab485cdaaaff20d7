package io.github.slotbloom.resp.command;

import io.github.slotbloom.FilterStatus;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.resp.command.Command.Trait;
import io.github.slotbloom.resp.filter.Answers;
import io.github.slotbloom.resp.filter.Family;
import io.github.slotbloom.resp.filter.Lanes;
import io.github.slotbloom.resp.filter.WrongTypeException;
import io.github.slotbloom.resp.protocol.Request;
import io.github.slotbloom.resp.reply.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The commands of RedisBloom for filters from which keys are removed: {@code CF.*}. */
final class CuckooCommands {

  private static final long DEFAULT_CAPACITY = 1024;

  /** The values of CF.INFO that only a cuckoo filter has: the defaults of RedisBloom. */
  private static final long BUCKET_SIZE = 2;

  private static final long MOST_ITERATIONS = 20;
  private static final long EXPANSION = 2;

  private static final List<String> TITLES =
      List.of(
          "Size",
          "Number of buckets",
          "Number of filters",
          "Number of items inserted",
          "Number of items deleted",
          "Bucket size",
          "Expansion rate",
          "Max iterations");

  private final KeyCommands keys;
  private final Filters filters;

  CuckooCommands(Lanes lanes, Database database) {
    this.keys = new KeyCommands(lanes, Family.CUCKOO);
    this.filters = new Filters(database, Family.CUCKOO);
  }

  List<Command> all() {
    return List.of(
        Command.of("CF.RESERVE", 3, Command.ANY, this::reserve).with(Trait.WRITES),
        keys.adding(
            "CF.ADDNX",
            3,
            3,
            request -> Items.of(request, () -> FilterSpecs.cuckoo(DEFAULT_CAPACITY)),
            Answer::one),
        keys.adding(
            "CF.INSERTNX",
            4,
            Command.ANY,
            request -> new InsertOptions(Family.CUCKOO, request, DEFAULT_CAPACITY).items(),
            answers ->
                Answer.list(answers, fresh -> Reply.number(fresh ? 1 : 0), Reply.number(-1))),
        keys.removing("CF.DEL", CuckooCommands::removed),
        keys.asking("CF.EXISTS", 3, Answer::one),
        keys.asking("CF.MEXISTS", Command.ANY, Answer::each),
        keys.asking("CF.COUNT", 3, answers -> Reply.number(answers.each()[0] ? 1 : 0)),
        Command.of(
            "CF.INFO", 2, 2, (session, request) -> filters.info(request, CuckooCommands::info)));
  }

  private CompletableFuture<Reply> reserve(Session session, Request request) {
    if (request.size() % 2 == 0) {
      throw CommandException.wrongNumberOfArguments(request.text(0));
    }
    long capacity = Words.whole(request, 2, "Bad capacity");
    long bucketSize = BUCKET_SIZE;
    for (int place = 3; place < request.size(); place += 2) {
      switch (request.option(place)) {
        case "BUCKETSIZE" -> bucketSize = option(request, place, 1, 255);
        case "MAXITERATIONS" -> option(request, place, 1, 65_535);
        case "EXPANSION" -> option(request, place, 0, 32_768);
        default -> throw new CommandException("Unknown argument received");
      }
    }
    if (capacity < 2 * bucketSize || capacity > FilterSpecs.MOST_CAPACITY) {
      throw new CommandException("Capacity must be in the range [2 * BUCKETSIZE, 1073741824]");
    }
    return filters.reserve(request, FilterSpecs.cuckoo(capacity));
  }

  private static long option(Request request, int place, long least, long most) {
    String option = request.option(place);
    return Words.whole(
        request,
        place + 1,
        least,
        most,
        "Couldn't parse " + option,
        "%s: value must be in the range [%s, %s]".formatted(option, least, most));
  }

  private static CompletableFuture<Reply> removed(CompletableFuture<Answers> answers) {
    return answers.handle(
        (removed, failure) -> {
          if (failure == null) {
            return Answer.one(removed);
          }
          boolean absent =
              failure instanceof FilterNotFoundException || failure instanceof WrongTypeException;
          return absent ? Reply.error("Not found") : Failures.reply(failure);
        });
  }

  private static Reply info(FilterStatus status) {
    return Answer.info(
        TITLES,
        Reply.number(status.bits() / Byte.SIZE),
        Reply.number(status.bits() / Long.SIZE),
        Reply.number(status.generationCount()),
        Reply.number(status.keysAdded()),
        Reply.number(status.keysRemoved()),
        Reply.number(BUCKET_SIZE),
        Reply.number(EXPANSION),
        Reply.number(MOST_ITERATIONS));
  }
}
