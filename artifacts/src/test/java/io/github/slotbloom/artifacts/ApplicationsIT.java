package io.github.slotbloom.artifacts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.slotbloom.artifacts.Command.Result;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.MarkdownBlocks;
import io.github.slotbloom.testing.TestSchema;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Programs that use what was published, as their users build and run them. */
@DatabaseContract
class ApplicationsIT {

  private static final Project EXAMPLE =
      new Project("example", "spring/example", List.of(), List.of());

  @ParameterizedTest
  @EnumSource
  void applicationsDoTheirWork(Application application, TestSchema schema) throws Exception {
    Optional<Path> java = JavaHomes.atLeast(application.java());
    assumeThat(java).as("Java " + application.java()).isPresent();

    Result result = application.run(java.orElseThrow(), schema);

    assertThat(result.out()).as(result.err()).isEqualTo(application.expected());
    assertThat(result.err()).doesNotContain("io.github.slotbloom.shaded");
  }

  /** The one that docs/spring.md shows. */
  @Test
  void theExampleOfSpringBooksEachPaymentOnce(TestSchema schema) throws Exception {
    Path java = JavaHomes.atLeast(17).orElseThrow();
    EXAMPLE.build(java);
    MarkdownBlocks.Command shown =
        MarkdownBlocks.of("docs/quickstart.md").stream()
            .filter(block -> block.run().equals("the example of Spring"))
            .flatMap(block -> block.commands().stream())
            .reduce((first, last) -> last)
            .orElseThrow();
    assertThat(shown.line()).endsWith(".jar a b a");
    assertThat(bookWithTheExample(java, schema)).isEqualTo(shown.output());
    assertThat(bookWithTheExample(java, schema))
        .isEqualTo(
            "a was booked before\nb was booked before\na was booked before\nThe balance is 10\n");
  }

  private static String bookWithTheExample(Path java, TestSchema schema) throws Exception {
    return EXAMPLE
        .with(schema)
        .with("SPRING_MAIN_BANNERMODE", "off")
        .with("LOGGING_LEVEL_ROOT", "warn")
        .run(EXAMPLE.starting(java, "example.PaymentsApplication", "a", "b", "a"))
        .out();
  }
}
