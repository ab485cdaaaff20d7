package io.github.slotbloom.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.fold.Folder;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.time.TimeSource;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.QuietEngines;
import io.github.slotbloom.testing.TestSchema;
import org.junit.jupiter.api.Test;

/** Who folds a filter on demand in a process that has it open. */
@DatabaseContract
class FolderOfOpenFilterIT {

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom elsewhere;

  private static FilterRecord reserved(Database database, String name) {
    elsewhere.reserve(name, FilterSpec.builder(KeyType.text()).capacity(1_000).build()).close();
    return database.transact(tx -> Catalog.find(tx, new FilterName(name))).orElseThrow();
  }

  /** Two folders of one process would hold each other up after each part of a batch. */
  @Test
  void anOpenFilterIsFoldedByWhatFoldsItInTheBackground() {
    Database database = Database.connect(schema.dataSource());
    FilterRecord filter = reserved(database, "open");
    FilterRecord other = reserved(database, "other");
    try (FilterEngines engines = QuietEngines.on(database, TimeSource.SYSTEM)) {
      FilterEngine open = engines.open(filter, FilterOptions.defaults());
      Folder folder = open.folder();
      assertThat(engines.folder(filter)).isSameAs(folder);
      assertThat(engines.folder(other)).isNotSameAs(folder);
      elsewhere.admin("open").drop();
      assertThat(engines.folder(reserved(database, "open"))).isNotSameAs(folder);
      engines.close(open);
      assertThat(engines.folder(filter)).isNotSameAs(folder);
    }
  }
}
