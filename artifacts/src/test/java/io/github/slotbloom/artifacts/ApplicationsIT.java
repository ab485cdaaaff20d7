package io.github.slotbloom.artifacts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.slotbloom.artifacts.Command.Result;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.TestSchema;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Programs that use what was published, as their users build and run them. */
@DatabaseContract
class ApplicationsIT {

  @ParameterizedTest
  @EnumSource
  void applicationsDoTheirWork(Application application, TestSchema schema) throws Exception {
    Optional<Path> java = JavaHomes.atLeast(application.java());
    assumeThat(java).as("Java " + application.java()).isPresent();

    Result result = application.run(java.orElseThrow(), schema);

    assertThat(result.out()).as(result.err()).isEqualTo(application.expected());
    assertThat(result.err()).doesNotContain("io.github.slotbloom.shaded");
  }
}
