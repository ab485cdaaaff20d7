package io.github.slotbloom.resp;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What RedisBloom answered to one request.
 *
 * @param version of the protocol
 * @param request a line, as it is typed
 * @param answer its bytes
 */
record GoldenRow(int version, String request, String answer) {

  /**
   * Rows that belong together, since they begin with an empty database.
   *
   * @param title what they are about, with the version of the protocol
   * @param rows in order
   */
  record Block(String title, List<GoldenRow> rows) {
    @Override
    public String toString() {
      return title;
    }
  }

  static List<Block> blocks() throws IOException {
    List<Block> blocks = new ArrayList<>();
    String title = "";
    for (String line : lines("golden.tsv")) {
      if (line.startsWith("#")) {
        title = line.substring(2);
        continue;
      }
      String[] columns = line.split("\t");
      GoldenRow row =
          new GoldenRow(
              Integer.parseInt(columns[0]), columns[1], columns[2].replace("\\r\\n", "\r\n"));
      String named = title + ", RESP" + row.version();
      if (blocks.isEmpty() || !blocks.get(blocks.size() - 1).title().equals(named)) {
        blocks.add(new Block(named, new ArrayList<>()));
      }
      blocks.get(blocks.size() - 1).rows().add(row);
    }
    return blocks;
  }

  static List<String> lines(String resource) throws IOException {
    try (InputStream stream =
            Objects.requireNonNull(GoldenRow.class.getResourceAsStream(resource), resource);
        BufferedReader reader = new BufferedReader(new InputStreamReader(stream, UTF_8))) {
      return reader.lines().filter(line -> !line.isEmpty()).toList();
    }
  }
}
