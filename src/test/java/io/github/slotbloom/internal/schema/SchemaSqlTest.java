package io.github.slotbloom.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What an operator runs by hand is what Flyway runs. */
class SchemaSqlTest {

  @Test
  void thePrintedSqlIsThatOfTheMigration() throws IOException {
    assertThat(SchemaSql.base()).isEqualTo(Files.readString(migration()));
  }

  @Test
  void aNativeImageGetsTheMigration() throws IOException {
    Matcher pattern =
        Pattern.compile("\"pattern\": \"(.*)\"").matcher(hints("resource-config.json"));
    assertThat(pattern.find()).isTrue();
    String resource = SchemaSql.FOLDER + "/" + migration().getFileName();
    assertThat(resource).matches(pattern.group(1).replace("\\\\", "\\"));
    assertThat(SchemaSql.class.getClassLoader().getResource(resource)).isNotNull();
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

  private static Path migration() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("db-migrations"))) {
      List<Path> all = files.toList();
      assertThat(all).hasSize(1);
      return all.get(0);
    }
  }
}
