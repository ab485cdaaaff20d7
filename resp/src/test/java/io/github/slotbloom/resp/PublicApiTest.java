package io.github.slotbloom.resp;

import io.github.slotbloom.testing.PublicApi;
import org.junit.jupiter.api.Test;

/** Whoever changes it on purpose records it with {@code -Dslotbloom.api.record=true}. */
class PublicApiTest {

  @Test
  void thePublicApiIsTheRecordedOne() throws Exception {
    PublicApi.assertRecorded("slotbloom-resp.txt", "io.github.slotbloom.resp");
  }
}
