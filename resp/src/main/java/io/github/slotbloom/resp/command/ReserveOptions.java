package io.github.slotbloom.resp.command;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.resp.protocol.Request;

/** The arguments of BF.RESERVE, checked in the order and with the words of RedisBloom. */
final class ReserveOptions {

  private static final long MOST_EXPANSION = 32_768;

  private ReserveOptions() {}

  static FilterSpec<byte[]> spec(Request request) {
    double rate =
        Words.rate(
            request,
            2,
            "ERR bad error rate",
            "ERR error rate must be in the range (0.000000, 1.000000)");
    long capacity =
        Words.whole(
            request,
            3,
            1,
            FilterSpecs.MOST_CAPACITY,
            "ERR bad capacity",
            "ERR capacity must be in the range [1, 1073741824]");
    return FilterSpecs.bloom(capacity, rate, scales(request));
  }

  private static boolean scales(Request request) {
    boolean nonScaling = find(request, "NONSCALING") > 0;
    int place = find(request, "EXPANSION");
    if (place < 0) {
      return !nonScaling;
    }
    if (place + 1 == request.size()) {
      throw new CommandException("ERR no expansion");
    }
    long expansion =
        Words.whole(
            request,
            place + 1,
            0,
            MOST_EXPANSION,
            "ERR bad expansion",
            "ERR expansion must be in the range [0, 32768]");
    if (nonScaling && expansion > 0) {
      throw new CommandException("Nonscaling filters cannot expand");
    }
    return expansion > 0;
  }

  private static int find(Request request, String option) {
    for (int place = 4; place < request.size(); place++) {
      if (request.option(place).equals(option)) {
        return place;
      }
    }
    return -1;
  }
}
