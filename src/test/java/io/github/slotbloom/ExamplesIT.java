package io.github.slotbloom;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.TestSchema;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The programs in {@code examples}, against the packaged jar and with what it needs at run time.
 */
@DatabaseContract(onOne = true)
@Tag("e2e")
class ExamplesIT {

  private static final Path TARGET = Path.of("target").toAbsolutePath();
  private static final int PATIENCE_SECONDS = 120;

  @TempDir Path directory;

  @Test
  void aPageIsFetchedOnce(TestSchema schema) throws Exception {
    assertThat(run("CrawlDedup", schema))
        .hasSize(6)
        .startsWith("fetching https://example.org/")
        .endsWith("5 pages fetched, 4 links were known");
    assertThat(run("CrawlDedup", schema)).containsExactly("0 pages fetched, 0 links were known");
  }

  @Test
  void aPaymentIsHandledOnceThoughDeliveredAgain(TestSchema schema) throws Exception {
    assertThat(run("ProcessOnce", schema))
        .containsExactly(
            "p1: handled",
            "p2: failed, will be delivered again: the power failed",
            "p1: handled before",
            "p2: handled",
            "p3: handled",
            "p2: handled before",
            "balance: 573");
    assertThat(run("ProcessOnce", schema))
        .hasSize(7)
        .filteredOn(line -> line.endsWith(": handled before"))
        .hasSize(6);
  }

  @Test
  void theTableIsAskedOnlyForKeysThatMayBeInIt(TestSchema schema) throws Exception {
    assertThat(run("SignUpCheck", schema))
        .startsWith("100 signed up, 0 had an account")
        .last()
        .asString()
        .matches("500 of 500 are free; the table was asked for \\d{1,2}");
    assertThat(run("SignUpCheck", schema)).startsWith("0 signed up, 100 had an account");
  }

  /** Copies them to a place of their own, since beside them are the classes of the tests. */
  private Path classesOf(String example) throws IOException {
    Path copies = Files.createTempDirectory(directory, example);
    try (DirectoryStream<Path> classes =
        Files.newDirectoryStream(TARGET.resolve("test-classes"), example + "*.class")) {
      for (Path file : classes) {
        Files.copy(file, copies.resolve(file.getFileName()));
      }
    }
    return copies;
  }

  /** The lines that it prints. */
  private List<String> run(String example, TestSchema schema)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile(directory, example, ".out");
    Path err = Files.createTempFile(directory, example, ".err");
    String classPath =
        String.join(
            File.pathSeparator,
            TARGET.resolve("slotbloom.jar").toString(),
            TARGET.resolve("lib") + "/*",
            classesOf(example).toString());
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath,
                example,
                schema.url(),
                schema.owner().user(),
                schema.owner().password())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertThat(ended).as(Files.readString(err)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(err)).isZero();
    return Files.readAllLines(out, UTF_8);
  }
}
