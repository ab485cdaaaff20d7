package io.github.slotbloom.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/** The public types and members of a module, as they are recorded. */
public final class PublicApi {

  private PublicApi() {}

  /**
   * Compares those of packages with the record.
   *
   * @param record a file in {@code src/api}
   * @param packages the names of the packages with the API
   */
  public static void assertRecorded(String record, String... packages) throws IOException {
    Path recorded = Checkout.file("src/api/" + record);
    List<String> now = types(packages).flatMap(PublicApi::members).toList();
    if (Boolean.getBoolean("slotbloom.api.record")) {
      Files.write(recorded, now);
    }
    assertThat(now).isNotEmpty();
    assertThat(now)
        .as(
            "changed on purpose? Run this with -Dslotbloom.api.record=true, and say so in CHANGELOG.md")
        .containsExactlyElementsOf(Files.readAllLines(recorded));
  }

  private static Stream<JavaClass> types(String... packages) {
    return new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages(packages)
            .stream()
            .filter(type -> List.of(packages).contains(type.getPackageName()))
            .filter(PublicApi::isReachable)
            .sorted((one, other) -> one.getName().compareTo(other.getName()));
  }

  private static boolean isReachable(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(PublicApi::isReachable).orElse(true);
  }

  /** As the compiler of an application sees them, in the order of the source. */
  private static Stream<String> members(JavaClass type) {
    StringWriter printed = new StringWriter();
    String file = Path.of(type.getSource().orElseThrow().getUri()).toString();
    PrintWriter out = new PrintWriter(printed);
    int failed = ToolProvider.findFirst("javap").orElseThrow().run(out, out, "-public", file);
    assertThat(failed).as(printed.toString()).isZero();
    return printed
        .toString()
        .lines()
        .filter(line -> !line.startsWith("Compiled from"))
        // Java 17 prints some names in the form of the class file.
        .map(line -> line.replace('/', '.'));
  }
}
