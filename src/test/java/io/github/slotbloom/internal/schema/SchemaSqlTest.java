package io.github.slotbloom.internal.schema;

import static java.util.Comparator.comparingInt;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
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

  @Test
  void aNativeImageGetsEachMigration() throws IOException {
    Matcher pattern =
        Pattern.compile("\"pattern\": \"(.*)\"").matcher(hints("resource-config.json"));
    assertThat(pattern.find()).isTrue();
    String resources = pattern.group(1).replace("\\\\", "\\");
    for (Path file : migrations()) {
      String resource = SchemaSql.FOLDER + "/" + file.getFileName();
      assertThat(resource).matches(resources);
      assertThat(SchemaSql.class.getClassLoader().getResource(resource)).isNotNull();
    }
  }

  @Test
  void aNativeImageGetsWhatIsMadeByNameForFlyway() throws IOException {
    assertThat(hints("reflect-config.json"))
        .contains("\"" + FlywayLog.Creator.class.getName() + "\"");
    for (Class<?> type : FlywayConnections.WRAPPED) {
      assertThat(hints("proxy-config.json")).contains("[\"" + type.getName() + "\"]");
    }
    assertThat(hints("proxy-config.json")).contains("[\"" + DataSource.class.getName() + "\"]");
  }

  /** Returns what the jar says to the compiler of native images. */
  private static String hints(String file) throws IOException {
    try (InputStream hints =
        SchemaSql.class
            .getClassLoader()
            .getResourceAsStream("META-INF/native-image/io.github.slotbloom/slotbloom/" + file)) {
      assertThat(hints).as(file).isNotNull();
      return new String(hints.readAllBytes(), StandardCharsets.UTF_8);
    }
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
