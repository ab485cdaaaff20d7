package io.github.slotbloom.perf.cases;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.perf.PerfCase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CasesTest {

  @Test
  void aQuickLookLeavesOutWhatItNames() {
    List<PerfCase> left = new ArrayList<>(Cases.all());
    left.removeAll(Cases.quick());

    assertThat(left)
        .extracting(PerfCase::id)
        .containsExactly(
            "add-batch-10000",
            "add-batch-threads",
            "metered",
            "redis-clients",
            "window-edge",
            "partitions",
            "sustained");
  }
}
