package io.github.slotbloom.internal.schema;

import static java.util.Comparator.comparingInt;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What an operator runs by hand is what Flyway runs. */
class SchemaSqlTest {

  @Test
  void thePrintedSqlHasEachMigrationInOrder() throws IOException {
    List<String> scripts = new ArrayList<>();
    for (Path file : migrations()) {
      scripts.add(Files.readString(file));
    }
    assertThat(SchemaSql.base()).isEqualTo(String.join("\n", scripts));
  }

  private static List<Path> migrations() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("db-migrations"))) {
      return files.sorted(comparingInt(SchemaSqlTest::version)).toList();
    }
  }

  private static int version(Path file) {
    String name = file.getFileName().toString();
    return Integer.parseInt(name.substring(1, name.indexOf("__")));
  }
}
