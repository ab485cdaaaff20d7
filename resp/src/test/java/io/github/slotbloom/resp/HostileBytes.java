package io.github.slotbloom.resp;

import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What nobody should send: parts of requests in any order, and noise. */
final class HostileBytes {

  private static final int MOST_PIECES = 60;

  private static final List<String> PIECES =
      List.of(
          "*",
          "$",
          "\r\n",
          "1",
          "2",
          "3",
          "-1",
          "999999999",
          "536870912",
          "BF.ADD",
          "BF.MEXISTS",
          " f ",
          "\"",
          "'",
          "\\x4",
          "HELLO 3\r\n",
          "RESET\r\n",
          "MULTI\r\n",
          "EXEC\r\n",
          "CLIENT LIST\r\n",
          "ECHO ",
          "*1\r\n$4\r\nPING\r\n",
          "*1\r\n".repeat(100),
          "*3\r\n$6\r\nBF.ADD\r\n$1\r\nf\r\n$2\r\n");

  private HostileBytes() {}

  /** Returns bytes, each of them a character. The same random numbers give the same bytes. */
  static String next(Random random) {
    return Stream.generate(() -> piece(random))
        .limit(random.nextInt(MOST_PIECES))
        .collect(Collectors.joining());
  }

  private static String piece(Random random) {
    int which = random.nextInt(PIECES.size() + 2);
    return which < PIECES.size() ? PIECES.get(which) : String.valueOf((char) random.nextInt(256));
  }
}
