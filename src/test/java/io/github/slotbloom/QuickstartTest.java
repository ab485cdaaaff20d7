package io.github.slotbloom;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.testing.Checkout;
import io.github.slotbloom.testing.MarkdownBlocks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuickstartTest {

  private static final Path EXAMPLE = Checkout.file("spring/example/src/main");

  @ParameterizedTest
  @CsvSource({"yaml, resources/application.yaml", "java, java/example/Payments.java"})
  void theExampleOfSpringIsQuotedAsItIs(String language, String file) throws IOException {
    String source = Files.readString(EXAMPLE.resolve(file), UTF_8);

    assertThat(MarkdownBlocks.of("docs/quickstart.md"))
        .filteredOn(block -> block.language().equals(language) && block.run().isEmpty())
        .hasSize(1)
        .allSatisfy(block -> assertThat(source).contains(block.text()));
  }
}
