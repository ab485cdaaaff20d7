package io.github.slotbloom.resp.command;

import io.github.slotbloom.resp.filter.Family;
import io.github.slotbloom.resp.protocol.Request;

/**
 * The arguments of BF.INSERT and CF.INSERTNX, with the words of RedisBloom. It tells options by
 * their first letters, and so they are told here.
 */
final class InsertOptions {

  private final Family family;
  private final Request request;
  private double rate = FilterSpecs.DEFAULT_RATE;
  private long capacity;
  private boolean scales = true;
  private boolean make = true;

  InsertOptions(Family family, Request request, long defaultCapacity) {
    this.family = family;
    this.request = request;
    capacity = defaultCapacity;
  }

  Items items() {
    int place = 2;
    while (place < request.size() && !request.option(place).startsWith("I")) {
      place = read(place);
    }
    if (place + 1 >= request.size()) {
      throw CommandException.wrongNumberOfArguments(request.text(0));
    }
    return new Items(
        request.wordsFrom(place + 1),
        make ? () -> FilterSpecs.of(family, capacity, rate, scales) : null);
  }

  /** Takes in an option, and returns the place of the next one. */
  private int read(int place) {
    String option = request.option(place);
    boolean bloom = family == Family.BLOOM;
    if (option.startsWith("N")) {
      if (bloom && !option.startsWith("NOC")) {
        scales = false;
      } else {
        make = false;
      }
      return place + 1;
    }
    if (!option.startsWith("C") && !(bloom && option.startsWith("E"))) {
      throw new CommandException("Unknown argument received");
    }
    if (place + 1 == request.size()) {
      throw CommandException.wrongNumberOfArguments(request.text(0));
    }
    if (option.startsWith("ER")) {
      rate = Words.rate(request, place + 1, "Bad error rate", "Bad error rate");
    } else if (option.startsWith("E")) {
      scales &=
          Words.whole(request, place + 1, 0, Long.MAX_VALUE, "Bad expansion", "Bad expansion") > 0;
    } else {
      capacity =
          Words.whole(
              request, place + 1, 1, FilterSpecs.MOST_CAPACITY, "Bad capacity", "Bad capacity");
    }
    return place + 2;
  }
}
