package io.github.slotbloom.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.slotbloom.error.FilterMismatchException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/** What is wrong with a property of a filter is told by its name, with a remedy. */
class FilterPropertiesTest {

  private static DeclaredFilter declared(String key, String... properties) {
    Map<String, String> values = new HashMap<>();
    for (String property : properties) {
      values.put("filter." + property.split("=")[0], property.split("=")[1]);
    }
    FilterProperties bound =
        new Binder(new MapConfigurationPropertySource(values))
            .bindOrCreate("filter", Bindable.of(FilterProperties.class));
    return new DeclaredFilter(key, bound);
  }

  @Test
  void aHyphenStandsForAnUnderscore() {
    assertThat(declared("live-accounts", "capacity=1").name()).isEqualTo("live_accounts");
  }

  @Test
  void aFilterMayHaveAnotherNameThanItsBean() {
    DeclaredFilter filter = declared("live-accounts", "capacity=1", "name={acme}:Live accounts");
    assertThat(filter.name()).isEqualTo("{acme}:Live accounts");
    assertThat(filter.bean()).isEqualTo("live_accounts");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "timeout=0s|timeout|1 ms",
        "warn-at=2|warn-at|at most 1",
        "queue-capacity=1|queue-capacity|32768",
        "backlog-limit=0|backlog-limit|one journal entry",
        "freshness=soon|freshness|Use strict",
        "freshness=-1s|freshness|Use strict",
        "removable-percent=101|removable-percent|from 1 to 100",
        "window.buckets=3|window.length|Give the time",
        "window.length=1ms|window|Change the length",
      })
  void aValueOutOfItsRangeIsNamed(String property, String name, String remedy) {
    DeclaredFilter filter = declared("payments", "capacity=1000", property);
    Throwable failure =
        catchThrowable(
            () -> {
              filter.build(filter.spec());
              filter.options();
            });
    FailureAnalysis analysis = new FilterPropertyFailureAnalyzer().analyze(failure);
    assertThat(analysis.getDescription())
        .startsWith("Property slotbloom.filters.payments." + name + ": ");
    assertThat(analysis.getAction()).contains(remedy);
  }

  @Test
  void aMissingCapacityIsNamed() {
    Throwable failure = catchThrowable(() -> declared("payments", "fixed=true").spec());
    assertThat(failure).hasMessageContaining("slotbloom.filters.payments.capacity");
  }

  @Test
  void aNameThatNoFilterCanHaveIsNamed() {
    String name = "name=" + "a".repeat(201);
    Throwable failure = catchThrowable(() -> declared("payments", "capacity=1", name));
    assertThat(failure).hasMessageContaining("slotbloom.filters.payments.name");
  }

  @Test
  void failuresOfTheLibraryAreShownWithARemedy() {
    FailureAnalyzer analyzer = new SlotBloomFailureAnalyzer();
    FailureAnalysis analysis = analyzer.analyze(new FilterMismatchException("capacity differs"));
    assertThat(analysis.getDescription()).isEqualTo("capacity differs");
    assertThat(analysis.getAction()).contains("slotbloom.filters");
  }
}
