package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.jar.JarFile;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;

/** The reason why the library has no {@code module-info}: docs/decisions/public-api.md. */
class ModuleNamesTest {

  @Test
  void flywayHasNoModuleName() throws IOException, URISyntaxException {
    Path jar = Path.of(Flyway.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (JarFile flyway = new JarFile(jar.toFile())) {
      assertThat(flyway.stream()).noneMatch(entry -> entry.getName().endsWith("module-info.class"));
      assertThat(flyway.getManifest().getMainAttributes().getValue("Automatic-Module-Name"))
          .isNull();
    }
  }
}
