package io.github.slotbloom.reliability;

import java.nio.file.Path;
import java.util.List;

/**
 * What one process of a storm is to do.
 *
 * @param histories where to write what happened
 * @param name of the process, unlike all others that write there
 * @param boundMillis of its bounded lookups
 * @param begun when the storm began, in nanoseconds of the clock that all processes share
 * @param poolSize connections at most
 * @param removable whether keys can be removed
 * @param eventsFromMillis when the first event came up, in milliseconds since 1970; zero if keys
 *     never expire
 */
record StormPlan(
    Path histories,
    String name,
    String filter,
    long seed,
    int threads,
    int boundMillis,
    long begun,
    int poolSize,
    boolean removable,
    long eventsFromMillis) {

  List<String> arguments() {
    return List.of(
        histories.toString(),
        name,
        filter,
        Long.toString(seed),
        Integer.toString(threads),
        Integer.toString(boundMillis),
        Long.toString(begun),
        Integer.toString(poolSize),
        Boolean.toString(removable),
        Long.toString(eventsFromMillis));
  }

  static StormPlan parse(String[] arguments) {
    return new StormPlan(
        Path.of(arguments[0]),
        arguments[1],
        arguments[2],
        Long.parseLong(arguments[3]),
        Integer.parseInt(arguments[4]),
        Integer.parseInt(arguments[5]),
        Long.parseLong(arguments[6]),
        Integer.parseInt(arguments[7]),
        Boolean.parseBoolean(arguments[8]),
        Long.parseLong(arguments[9]));
  }
}
