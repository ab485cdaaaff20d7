package io.github.slotbloom.resp.command;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.FilterStatus;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.resp.command.Command.Trait;
import io.github.slotbloom.resp.filter.Answers;
import io.github.slotbloom.resp.filter.Family;
import io.github.slotbloom.resp.filter.Lane;
import io.github.slotbloom.resp.filter.Lane.Kind;
import io.github.slotbloom.resp.filter.Lanes;
import io.github.slotbloom.resp.filter.WrongTypeException;
import io.github.slotbloom.resp.protocol.Request;
import io.github.slotbloom.resp.reply.Reply;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The commands of RedisBloom for filters from which keys are removed: {@code CF.*}. */
final class CuckooCommands {

  private static final long DEFAULT_CAPACITY = 1024;

  /** What CF.INFO tells of a cuckoo filter, and what does not exist here. */
  private static final long BUCKET_SIZE = 2;

  private static final long MOST_ITERATIONS = 20;
  private static final long EXPANSION = 2;

  private final Lanes lanes;
  private final Filters filters;

  CuckooCommands(Lanes lanes, Filters filters) {
    this.lanes = lanes;
    this.filters = filters;
  }

  void addTo(CommandTable table) {
    table.add(Command.of("CF.RESERVE", 3, Command.ANY, this::reserve).with(Trait.WRITES));
    table.add(changing("CF.ADDNX", 3, 3, Kind.ADD, this::add));
    table.add(changing("CF.INSERTNX", 4, Command.ANY, Kind.ADD, this::insert));
    table.add(changing("CF.DEL", 3, 3, Kind.REMOVE, this::delete));
    table.add(asking("CF.EXISTS", 3, Answer::one));
    table.add(asking("CF.MEXISTS", Command.ANY, Answer::each));
    table.add(asking("CF.COUNT", 3, answers -> Reply.number(answers.each()[0] ? 1 : 0)));
    table.add(Command.of("CF.INFO", 2, 2, this::info));
  }

  private static Command changing(
      String name, int fewest, int most, Kind kind, Command.Action action) {
    return Command.of(name, fewest, most, action).with(Trait.WRITES).joining(kind, Family.CUCKOO);
  }

  private Command asking(String name, int most, Function<Answers, Reply> answer) {
    return Command.of(
            name,
            3,
            most,
            (session, request) ->
                submit(Kind.ASK, request, request.wordsFrom(2), null).thenApply(answer))
        .joining(Kind.ASK, Family.CUCKOO);
  }

  private CompletableFuture<Answers> submit(
      Kind kind, Request request, List<byte[]> keys, @Nullable Supplier<FilterSpec<byte[]>> make) {
    return lanes.submit(new Lane(kind, Family.CUCKOO, Words.name(request, 1)), keys, make);
  }

  private CompletableFuture<Reply> reserve(Session session, Request request) {
    if (request.size() % 2 == 0) {
      throw CommandException.wrongNumberOfArguments(request.text(0));
    }
    long capacity = Words.whole(request, 2).orElseThrow(() -> bad("capacity"));
    long bucketSize = BUCKET_SIZE;
    for (int place = 3; place < request.size(); place += 2) {
      switch (request.option(place)) {
        case "BUCKETSIZE" -> bucketSize = option(request, place, 1, 255);
        case "MAXITERATIONS" -> option(request, place, 1, 65_535);
        case "EXPANSION" -> option(request, place, 0, 32_768);
        default -> throw new CommandException("Unknown argument received");
      }
    }
    if (capacity < 2 * bucketSize || capacity > ReserveOptions.MOST_CAPACITY) {
      throw new CommandException("Capacity must be in the range [2 * BUCKETSIZE, 1073741824]");
    }
    return filters.reserve(Words.name(request, 1), Family.CUCKOO, FilterSpecs.cuckoo(capacity));
  }

  private static CommandException bad(String what) {
    return new CommandException("Bad " + what);
  }

  private static long option(Request request, int place, long least, long most) {
    String option = request.option(place);
    OptionalLong value = Words.whole(request, place + 1);
    if (value.isEmpty()) {
      throw new CommandException("Couldn't parse " + option);
    }
    if (value.getAsLong() < least || value.getAsLong() > most) {
      throw new CommandException(
          "%s: value must be in the range [%s, %s]".formatted(option, least, most));
    }
    return value.getAsLong();
  }

  private static FilterSpec<byte[]> unasked() {
    return FilterSpecs.cuckoo(DEFAULT_CAPACITY);
  }

  private CompletableFuture<Reply> add(Session session, Request request) {
    return submit(Kind.ADD, request, request.wordsFrom(2), CuckooCommands::unasked)
        .thenApply(Answer::one);
  }

  private CompletableFuture<Reply> insert(Session session, Request request) {
    Supplier<FilterSpec<byte[]>> make = CuckooCommands::unasked;
    int place = 2;
    while (place < request.size() && !request.option(place).startsWith("I")) {
      String option = request.option(place);
      if (option.startsWith("N")) {
        make = null;
        place++;
      } else if (option.startsWith("C")) {
        if (place + 1 < request.size()) {
          long capacity = capacity(request, place + 1);
          make = make == null ? null : () -> FilterSpecs.cuckoo(capacity);
        }
        place += 2;
      } else {
        throw new CommandException("Unknown argument received");
      }
    }
    if (place + 1 >= request.size()) {
      throw CommandException.wrongNumberOfArguments(request.text(0));
    }
    return submit(Kind.ADD, request, request.wordsFrom(place + 1), make)
        .thenApply(
            answers ->
                Answer.list(answers, fresh -> Reply.number(fresh ? 1 : 0), Reply.number(-1)));
  }

  private static long capacity(Request request, int place) {
    OptionalLong capacity = Words.whole(request, place);
    if (capacity.isEmpty()
        || capacity.getAsLong() < 1
        || capacity.getAsLong() > ReserveOptions.MOST_CAPACITY) {
      throw bad("capacity");
    }
    return capacity.getAsLong();
  }

  private CompletableFuture<Reply> delete(Session session, Request request) {
    return submit(Kind.REMOVE, request, request.wordsFrom(2), null)
        .handle(
            (answers, failure) -> {
              if (failure == null) {
                return Answer.one(answers);
              }
              boolean absent =
                  failure instanceof FilterNotFoundException
                      || failure instanceof WrongTypeException;
              return absent ? Reply.error("Not found") : Failures.reply(failure);
            });
  }

  private CompletableFuture<Reply> info(Session session, Request request) {
    return filters
        .status(Words.name(request, 1), Family.CUCKOO)
        .thenApply(
            found ->
                found
                    .map(CuckooCommands::all)
                    .orElseThrow(() -> new CommandException("ERR not found")));
  }

  private static Reply all(FilterStatus status) {
    return new Reply.Pairs(
        List.of(
            new Reply.Status("Size"),
            Reply.number(status.bits() / Byte.SIZE),
            new Reply.Status("Number of buckets"),
            Reply.number(status.bits() / Long.SIZE),
            new Reply.Status("Number of filters"),
            Reply.number(status.generations()),
            new Reply.Status("Number of items inserted"),
            Reply.number(status.keysAdded()),
            new Reply.Status("Number of items deleted"),
            Reply.number(status.keysRemoved()),
            new Reply.Status("Bucket size"),
            Reply.number(BUCKET_SIZE),
            new Reply.Status("Expansion rate"),
            Reply.number(EXPANSION),
            new Reply.Status("Max iterations"),
            Reply.number(MOST_ITERATIONS)));
  }
}
