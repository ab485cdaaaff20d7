package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.slotbloom.error.UnsupportedVersionException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.TestSchema;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Servers that may lack what was acknowledged do not answer for the primary. */
@DatabaseContract
class SecondariesIT {

  private final DataSource dataSource;

  SecondariesIT(TestSchema schema) {
    dataSource = schema.dataSource();
  }

  @Test
  void serversThatBelongToNoGroupAreRefused() {
    SlotBloom.Builder builder = SlotBloom.builder(dataSource).secondaries(dataSource);
    assertThatExceptionOfType(UnsupportedVersionException.class)
        .isThrownBy(builder::build)
        .withMessageContaining("belongs to no group");
  }
}
