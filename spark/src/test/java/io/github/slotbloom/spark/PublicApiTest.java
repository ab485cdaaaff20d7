package io.github.slotbloom.spark;

import io.github.slotbloom.testing.PublicApi;
import org.junit.jupiter.api.Test;

/** Whoever changes it on purpose records it with {@code -Dslotbloom.api.record=true}. */
class PublicApiTest {

  @Test
  void thePublicApiIsTheRecordedOne() throws Exception {
    PublicApi.assertRecorded("slotbloom-spark.txt", "io.github.slotbloom.spark");
  }
}
