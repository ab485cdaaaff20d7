package io.github.slotbloom.resp.command;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.FilterStatus;
import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.resp.command.Command.Trait;
import io.github.slotbloom.resp.filter.Answers;
import io.github.slotbloom.resp.filter.Family;
import io.github.slotbloom.resp.filter.Lane;
import io.github.slotbloom.resp.filter.Lane.Kind;
import io.github.slotbloom.resp.filter.Lanes;
import io.github.slotbloom.resp.protocol.Request;
import io.github.slotbloom.resp.reply.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The commands of RedisBloom for filters from which no key is removed: {@code BF.*}. */
final class BloomCommands {

  /** By how much a filter grows, as Redis counts it. Ours double, whatever was asked for. */
  private static final long EXPANSION = 2;

  /** What BF.INFO tells, in the order in which it does. Some clients read no more than these. */
  private static final List<Field> FIELDS =
      List.of(
          new Field("CAPACITY", "Capacity", status -> Reply.number(status.capacity())),
          new Field("SIZE", "Size", status -> Reply.number(status.bits() / Byte.SIZE)),
          new Field("FILTERS", "Number of filters", status -> Reply.number(status.generations())),
          new Field(
              "ITEMS", "Number of items inserted", status -> Reply.number(status.keysAdded())),
          new Field("EXPANSION", "Expansion rate", BloomCommands::expansion));

  private final Lanes lanes;
  private final Filters filters;
  private final Supplier<FilterSpec<byte[]>> unasked;
  private final long defaultCapacity;

  /**
   * Creates the commands.
   *
   * @param defaultCapacity of filters that are made because a key is added to them
   */
  BloomCommands(Lanes lanes, Filters filters, long defaultCapacity) {
    this.lanes = lanes;
    this.filters = filters;
    this.defaultCapacity = defaultCapacity;
    unasked = () -> FilterSpecs.bloom(defaultCapacity, FilterSpecs.DEFAULT_RATE, true);
  }

  void addTo(CommandTable table) {
    table.add(Command.of("BF.RESERVE", 4, 7, this::reserve).with(Trait.WRITES));
    table.add(adding("BF.ADD", 3, 3, this::add));
    table.add(adding("BF.MADD", 3, Command.ANY, this::addEach));
    table.add(adding("BF.INSERT", 4, Command.ANY, this::insert));
    table.add(
        Command.of("BF.EXISTS", 3, 3, (session, request) -> ask(request, Answer::one))
            .joining(Kind.ASK, Family.BLOOM));
    table.add(
        Command.of("BF.MEXISTS", 3, Command.ANY, (session, request) -> ask(request, Answer::each))
            .joining(Kind.ASK, Family.BLOOM));
    table.add(Command.of("BF.INFO", 2, 3, this::info));
    table.add(Command.of("BF.CARD", 2, 2, this::card));
  }

  private static Command adding(String name, int fewest, int most, Command.Action action) {
    return Command.of(name, fewest, most, action)
        .with(Trait.WRITES)
        .joining(Kind.ADD, Family.BLOOM);
  }

  private CompletableFuture<Reply> reserve(Session session, Request request) {
    FilterSpec<byte[]> spec = new ReserveOptions(request).spec();
    return filters.reserve(Words.name(request, 1), Family.BLOOM, spec);
  }

  private CompletableFuture<Reply> add(Session session, Request request) {
    return add(request, request.wordsFrom(2), unasked, Answer::one);
  }

  private CompletableFuture<Reply> addEach(Session session, Request request) {
    return add(request, request.wordsFrom(2), unasked, Answer::each);
  }

  private CompletableFuture<Reply> insert(Session session, Request request) {
    InsertOptions options = new InsertOptions(request, defaultCapacity);
    return add(request, options.items(), options.make(), Answer::each);
  }

  private CompletableFuture<Reply> add(
      Request request,
      List<byte[]> keys,
      @Nullable Supplier<FilterSpec<byte[]>> make,
      Function<Answers, Reply> answer) {
    Lane lane = new Lane(Kind.ADD, Family.BLOOM, Words.name(request, 1));
    return lanes.submit(lane, keys, make).thenApply(answer);
  }

  private CompletableFuture<Reply> ask(Request request, Function<Answers, Reply> answer) {
    Lane lane = new Lane(Kind.ASK, Family.BLOOM, Words.name(request, 1));
    return lanes.submit(lane, request.wordsFrom(2), null).thenApply(answer);
  }

  private CompletableFuture<Reply> card(Session session, Request request) {
    return filters
        .status(Words.name(request, 1), Family.BLOOM)
        .thenApply(status -> Reply.number(status.map(FilterStatus::keysAdded).orElse(0L)));
  }

  private CompletableFuture<Reply> info(Session session, Request request) {
    return filters
        .status(Words.name(request, 1), Family.BLOOM)
        .thenApply(
            found -> {
              FilterStatus status =
                  found.orElseThrow(() -> new FilterNotFoundException("There is no such filter."));
              return request.size() == 2 ? all(status) : one(status, request.option(2));
            });
  }

  private static Reply expansion(FilterStatus status) {
    return status.whenFull() == WhenFull.REFUSE ? Reply.NOTHING : Reply.number(EXPANSION);
  }

  private static Reply all(FilterStatus status) {
    List<Reply> pairs = new ArrayList<>();
    for (Field field : FIELDS) {
      pairs.add(new Reply.Status(field.title()));
      pairs.add(field.value().apply(status));
    }
    return new Reply.Pairs(List.copyOf(pairs));
  }

  private static Reply one(FilterStatus status, String option) {
    return FIELDS.stream()
        .filter(field -> field.option().equals(option))
        .findFirst()
        .map(field -> new Reply.Field(new Reply.Status(field.title()), field.value().apply(status)))
        .orElseThrow(() -> new CommandException("Invalid information value"));
  }

  /**
   * A figure of a filter.
   *
   * @param option by which it is asked for alone
   * @param title by which it is told
   * @param value of a filter
   */
  private record Field(String option, String title, Function<FilterStatus, Reply> value) {}
}
