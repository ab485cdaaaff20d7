package io.github.slotbloom;

import io.github.slotbloom.testing.PublicApi;
import org.junit.jupiter.api.Test;

/** Whoever changes it on purpose records it with {@code -Dslotbloom.api.record=true}. */
class PublicApiTest {

  @Test
  void thePublicApiIsTheRecordedOne() throws Exception {
    PublicApi.assertRecorded(
        "slotbloom.txt",
        "io.github.slotbloom",
        "io.github.slotbloom.core",
        "io.github.slotbloom.error",
        "io.github.slotbloom.report");
  }
}
