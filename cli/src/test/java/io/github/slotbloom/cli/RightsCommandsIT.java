package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An account is told of the right that it lacks, and of no other. */
@DatabaseContract
class RightsCommandsIT {

  @Test
  void aMissingRightToMakeSlotTablesIsNotTakenForMissingBaseTables(
      TestSchema schema, @TempDir Path directory) throws Exception {
    new Sql(schema.dataSource()).runScript(SlotBloom.schemaSql());
    InProcess slotbloom =
        new InProcess(directory).on(schema, schema.createAccount("SELECT, INSERT, UPDATE, DELETE"));
    assertThat(slotbloom.run("reserve", "words", "--capacity", "1000").failed(1).err())
        .contains("Could not make the table bloom_bits_words_v1", "needs CREATE on the schema")
        .doesNotContain("base tables", "ALTER");
  }
}
