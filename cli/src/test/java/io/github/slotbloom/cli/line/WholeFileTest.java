package io.github.slotbloom.cli.line;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.cli.CommandException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file appears whole, in the place of another or not at all. */
class WholeFileTest {

  @TempDir Path directory;

  @Test
  void theTargetOfALinkIsReplaced() throws Exception {
    Path file = Files.writeString(directory.resolve("page.html"), "old");
    Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("page.html"));

    WholeFile.at(link).write("new".getBytes(UTF_8));

    assertThat(file).hasContent("new");
    assertThat(link).isSymbolicLink();
    assertThat(directory.toFile().list()).containsExactlyInAnyOrder("page.html", "link");
  }

  @Test
  void aPathThatCannotBeWrittenIsToldBeforehand() {
    Path nowhere = directory.resolve("missing/page.html");
    assertThatThrownBy(() -> WholeFile.at(nowhere))
        .isInstanceOf(CommandException.class)
        .hasMessageContainingAll("Cannot write " + nowhere, "its directory does not exist");
    assertThatThrownBy(() -> WholeFile.at(directory))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("it is not a regular file");
    assertThatThrownBy(() -> WholeFile.at(Path.of("/dev/null")))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("it is not a regular file");
  }
}
