package io.github.slotbloom.resp.command;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.resp.protocol.Request;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of BF.INSERT, checked in the order and with the words of RedisBloom. It tells
 * options by their first letters, and so they are told here.
 */
final class InsertOptions {

  private final Request request;
  private final List<byte[]> items;
  private double rate = FilterSpecs.DEFAULT_RATE;
  private long capacity;
  private boolean scales = true;
  private boolean make = true;

  InsertOptions(Request request, long defaultCapacity) {
    this.request = request;
    capacity = defaultCapacity;
    int place = 2;
    while (place < request.size() && !request.option(place).startsWith("I")) {
      place = read(place);
    }
    if (place + 1 >= request.size()) {
      throw wrongNumber();
    }
    items = request.wordsFrom(place + 1);
  }

  /** Takes in an option, and returns the place of the next one. */
  private int read(int place) {
    String option = request.option(place);
    if (option.startsWith("NOC")) {
      make = false;
      return place + 1;
    }
    if (option.startsWith("N")) {
      scales = false;
      return place + 1;
    }
    if (!option.startsWith("E") && !option.startsWith("C")) {
      throw new CommandException("Unknown argument received");
    }
    if (place + 1 == request.size()) {
      throw wrongNumber();
    }
    if (option.startsWith("ER")) {
      readRate(place + 1);
    } else if (option.startsWith("E")) {
      readExpansion(place + 1);
    } else {
      readCapacity(place + 1);
    }
    return place + 2;
  }

  private void readRate(int place) {
    OptionalDouble given = Words.number(request, place);
    if (given.isEmpty() || given.getAsDouble() <= 0 || given.getAsDouble() >= 1) {
      throw new CommandException("Bad error rate");
    }
    rate = given.getAsDouble();
  }

  private void readExpansion(int place) {
    OptionalLong given = Words.whole(request, place);
    if (given.isEmpty() || given.getAsLong() < 0) {
      throw new CommandException("Bad expansion");
    }
    scales &= given.getAsLong() > 0;
  }

  private void readCapacity(int place) {
    OptionalLong given = Words.whole(request, place);
    if (given.isEmpty()
        || given.getAsLong() < 1
        || given.getAsLong() > ReserveOptions.MOST_CAPACITY) {
      throw new CommandException("Bad capacity");
    }
    capacity = given.getAsLong();
  }

  private CommandException wrongNumber() {
    return CommandException.wrongNumberOfArguments(request.text(0));
  }

  List<byte[]> items() {
    return items;
  }

  /** Returns what a missing filter is made like; null if it is not to be made. */
  @Nullable Supplier<FilterSpec<byte[]>> make() {
    return make ? () -> FilterSpecs.bloom(capacity, rate, scales) : null;
  }
}
