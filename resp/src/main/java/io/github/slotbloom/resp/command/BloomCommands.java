package io.github.slotbloom.resp.command;

import io.github.slotbloom.FilterStatus;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.resp.command.Command.Trait;
import io.github.slotbloom.resp.filter.Family;
import io.github.slotbloom.resp.filter.Lanes;
import io.github.slotbloom.resp.protocol.Request;
import io.github.slotbloom.resp.reply.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The commands of RedisBloom for filters from which no key is removed: {@code BF.*}. */
final class BloomCommands {

  /** By how much a filter grows, as Redis counts it. Ours double, whatever was requested. */
  private static final long EXPANSION = 2;

  /** The fields of BF.INFO, in their order. Some clients read no others. */
  private static final List<String> TITLES =
      List.of(
          "Capacity", "Size", "Number of filters", "Number of items inserted", "Expansion rate");

  /** By which each of them is asked for alone. */
  private static final List<String> OPTIONS =
      List.of("CAPACITY", "SIZE", "FILTERS", "ITEMS", "EXPANSION");

  private final KeyCommands keys;
  private final Filters filters;
  private final long defaultCapacity;

  /**
   * Creates the commands.
   *
   * @param defaultCapacity of filters that are created because a key is added to them
   */
  BloomCommands(Lanes lanes, Database database, long defaultCapacity) {
    this.keys = new KeyCommands(lanes, Family.BLOOM);
    this.filters = new Filters(database, Family.BLOOM);
    this.defaultCapacity = defaultCapacity;
  }

  List<Command> all() {
    return List.of(
        Command.of(
                "BF.RESERVE",
                4,
                7,
                (session, request) -> filters.reserve(request, ReserveOptions.spec(request)))
            .with(Trait.WRITES),
        keys.adding("BF.ADD", 3, 3, this::items, Answer::one),
        keys.adding("BF.MADD", 3, Command.ANY, this::items, Answer::each),
        keys.adding(
            "BF.INSERT",
            4,
            Command.ANY,
            request -> new InsertOptions(Family.BLOOM, request, defaultCapacity).items(),
            Answer::each),
        keys.asking("BF.EXISTS", 3, Answer::one),
        keys.asking("BF.MEXISTS", Command.ANY, Answer::each),
        Command.of("BF.INFO", 2, 3, this::info),
        Command.of(
            "BF.CARD",
            2,
            2,
            (session, request) ->
                filters.tell(
                    request,
                    found -> Reply.number(found.map(FilterStatus::keysAdded).orElse(0L)))));
  }

  private Items items(Request request) {
    return Items.of(
        request, () -> FilterSpecs.bloom(defaultCapacity, FilterSpecs.DEFAULT_RATE, true));
  }

  private CompletableFuture<Reply> info(Session session, Request request) {
    return filters.info(
        request,
        status -> {
          Reply.Pairs all = info(status);
          if (request.size() == 2) {
            return all;
          }
          int place = OPTIONS.indexOf(request.option(2));
          if (place < 0) {
            throw new CommandException("Invalid information value");
          }
          List<Reply> pairs = all.namesAndValues();
          return new Reply.Field(pairs.get(2 * place), pairs.get(2 * place + 1));
        });
  }

  private static Reply.Pairs info(FilterStatus status) {
    return Answer.info(
        TITLES,
        Reply.number(status.capacity()),
        Reply.number(status.bits() / Byte.SIZE),
        Reply.number(status.generationCount()),
        Reply.number(status.keysAdded()),
        status.onFull() == OnFull.REFUSE ? Reply.NOTHING : Reply.number(EXPANSION));
  }
}
