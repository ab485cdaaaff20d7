package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.github.slotbloom.testing.Checkout;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The public types and their members are those that are recorded. Whoever changes them on purpose
 * runs this with {@code -Dslotbloom.api.record=true}, and says so in CHANGELOG.md.
 */
class PublicApiTest {

  private static final Path RECORD = Checkout.file("src/api/slotbloom.txt");

  @Test
  void thePublicApiIsTheRecordedOne() throws Exception {
    List<String> now = publicTypes().flatMap(PublicApiTest::members).toList();
    if (Boolean.getBoolean("slotbloom.api.record")) {
      Files.write(RECORD, now);
    }
    assertThat(now)
        .as(
            "changed on purpose? Run PublicApiTest with -Dslotbloom.api.record=true, and say so in"
                + " CHANGELOG.md")
        .containsExactlyElementsOf(Files.readAllLines(RECORD));
  }

  private static Stream<JavaClass> publicTypes() {
    return new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.github.slotbloom")
            .stream()
            .filter(type -> !type.getPackageName().contains(".internal"))
            .filter(PublicApiTest::isReachable)
            .sorted((one, other) -> one.getName().compareTo(other.getName()));
  }

  private static boolean isReachable(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(PublicApiTest::isReachable).orElse(true);
  }

  /** As the compiler of an application sees them, in the order of the source. */
  private static Stream<String> members(JavaClass type) {
    StringWriter printed = new StringWriter();
    int failed =
        ToolProvider.findFirst("javap")
            .orElseThrow()
            .run(
                new PrintWriter(printed),
                new PrintWriter(printed),
                "-public",
                "-classpath",
                Path.of(type.getSource().orElseThrow().getUri()).toString(),
                Path.of(type.getSource().orElseThrow().getUri()).toString());
    assertThat(failed).as(printed.toString()).isZero();
    return printed.toString().lines().filter(line -> !line.startsWith("Compiled from"));
  }
}
