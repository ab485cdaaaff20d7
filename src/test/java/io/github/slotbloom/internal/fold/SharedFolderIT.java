package io.github.slotbloom.internal.fold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.time.TimeSource;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.QuietEngines;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Several callers that fold one filter in one process. */
@DatabaseContract
class SharedFolderIT {

  private static final String NAME = "shared";

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom elsewhere;
  @Fixture private static Sql sql;

  private static void append(int entries) {
    try (Connection connection = schema.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      for (int i = 1; i <= entries; i++) {
        ByHand.append(connection, NAME, i, 4711L + i);
      }
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long foldedSeq() {
    try {
      return sql.number("SELECT folded_seq FROM bloom_fold");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Each generation is a batch, and takes several transactions. */
  @Test
  void aCallerGoesOnUntilItsEntriesAreFoldedWhateverOthersBegin() {
    FilterSpec<String> spec = FilterSpec.builder(KeyType.text()).capacity(300_000).build();
    elsewhere.reserve(NAME, spec).close();
    append(1);
    elsewhere.admin(NAME).grow(600_000);
    append(1);
    Database database = Database.connect(schema.dataSource());
    FilterRecord filter =
        database.transact(tx -> Catalog.find(tx, new FilterName(NAME))).orElseThrow();
    try (FilterEngines engines = QuietEngines.on(database, TimeSource.SYSTEM)) {
      Folder folder = engines.folder(filter);
      AtomicBoolean another = new AtomicBoolean();
      folder.foldAll(
          share -> {
            if (foldedSeq() == 2 && !another.getAndSet(true)) {
              append(100);
              assertThatThrownBy(() -> folder.foldAll(SharedFolderIT::giveUp))
                  .isInstanceOf(GivenUp.class);
              assertThat(foldedSeq()).as("the second batch has begun").isEqualTo(2);
            }
          });
      assertThat(another).isTrue();
      assertThat(foldedSeq()).isGreaterThanOrEqualTo(3);
    }
  }

  private static void giveUp(double share) {
    throw new GivenUp();
  }

  private static final class GivenUp extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}
