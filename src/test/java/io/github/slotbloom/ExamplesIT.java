package io.github.slotbloom;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.TestSchema;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The programs in {@code examples}, with the packaged jar and what it needs at run time, and with
 * no class of the tests.
 */
@DatabaseContract(onOne = true)
@Tag("e2e")
class ExamplesIT {

  private static final Path TARGET = Path.of("target").toAbsolutePath();

  private static URLClassLoader libraries;

  @TempDir Path directory;

  /** For all of them, since it takes longer to load than an example to run. */
  @BeforeAll
  static void load() throws Exception {
    List<URL> urls = new ArrayList<>();
    urls.add(TARGET.resolve("slotbloom.jar").toUri().toURL());
    try (DirectoryStream<Path> jars = Files.newDirectoryStream(TARGET.resolve("lib"))) {
      for (Path jar : jars) {
        urls.add(jar.toUri().toURL());
      }
    }
    libraries = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    // It looks for drivers only once: for other tests here, and not for these libraries.
    DriverManager.drivers();
    Class.forName("com.mysql.cj.jdbc.Driver", true, libraries);
  }

  @AfterAll
  static void close() throws IOException {
    libraries.close();
  }

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

  /** Returns the lines that it prints. */
  private List<String> run(String example, TestSchema schema) throws Exception {
    URL[] classes = {classesOf(example).toUri().toURL()};
    String[] arguments = {schema.url(), schema.owner().user(), schema.owner().password()};
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream before = System.out;
    ClassLoader ofTests = Thread.currentThread().getContextClassLoader();
    try (URLClassLoader loader = new URLClassLoader(classes, libraries)) {
      System.setOut(new PrintStream(out, true, UTF_8));
      Thread.currentThread().setContextClassLoader(loader);
      loader.loadClass(example).getMethod("main", String[].class).invoke(null, (Object) arguments);
    } finally {
      Thread.currentThread().setContextClassLoader(ofTests);
      System.setOut(before);
    }
    return out.toString(UTF_8).lines().toList();
  }
}
