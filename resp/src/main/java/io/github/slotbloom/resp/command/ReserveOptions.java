package io.github.slotbloom.resp.command;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.resp.protocol.Request;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** The arguments of BF.RESERVE, checked in the order and with the words of RedisBloom. */
final class ReserveOptions {

  static final long MOST_CAPACITY = 1L << 30;
  private static final long MOST_EXPANSION = 32_768;

  private final Request request;

  ReserveOptions(Request request) {
    this.request = request;
  }

  FilterSpec<byte[]> spec() {
    double rate = rate();
    long capacity = capacity();
    return FilterSpecs.bloom(capacity, rate, scales());
  }

  private double rate() {
    OptionalDouble rate = Words.number(request, 2);
    if (rate.isEmpty()) {
      throw new CommandException("ERR bad error rate");
    }
    if (!(rate.getAsDouble() > 0 && rate.getAsDouble() < 1)) {
      throw new CommandException("ERR error rate must be in the range (0.000000, 1.000000)");
    }
    return rate.getAsDouble();
  }

  private long capacity() {
    OptionalLong capacity = Words.whole(request, 3);
    if (capacity.isEmpty()) {
      throw new CommandException("ERR bad capacity");
    }
    if (capacity.getAsLong() < 1 || capacity.getAsLong() > MOST_CAPACITY) {
      throw new CommandException("ERR capacity must be in the range [1, 1073741824]");
    }
    return capacity.getAsLong();
  }

  private boolean scales() {
    boolean nonScaling = find("NONSCALING") > 0;
    int place = find("EXPANSION");
    if (place < 0) {
      return !nonScaling;
    }
    if (place + 1 == request.size()) {
      throw new CommandException("ERR no expansion");
    }
    OptionalLong expansion = Words.whole(request, place + 1);
    if (expansion.isEmpty()) {
      throw new CommandException("ERR bad expansion");
    }
    if (expansion.getAsLong() < 0 || expansion.getAsLong() > MOST_EXPANSION) {
      throw new CommandException("ERR expansion must be in the range [0, 32768]");
    }
    if (nonScaling && expansion.getAsLong() > 0) {
      throw new CommandException("Nonscaling filters cannot expand");
    }
    return expansion.getAsLong() > 0;
  }

  private int find(String option) {
    for (int place = 4; place < request.size(); place++) {
      if (request.option(place).equals(option)) {
        return place;
      }
    }
    return -1;
  }
}
