package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterExistsException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A filter that is dropped is gone for every process. */
@DatabaseContract
class DropIT {

  private static final FilterSpec<String> SPEC = Use.DEFERRED_MIRRORED.spec(KeyType.text());

  private static Instances instances;
  private static SlotBloom here;
  private static SlotBloom there;
  private static Sql sql;

  @BeforeDatabase
  static void migrate(TestSchema schema) {
    instances = new Instances(schema);
    sql = new Sql(schema.dataSource());
    here = instances.another();
    here.migrate();
    there = instances.another();
  }

  @AfterDatabase
  static void close() {
    instances.close();
  }

  @ParameterizedTest
  @EnumSource(names = {"DEFERRED_MIRRORED", "WRITE_THROUGH_DIRECT"})
  void whoHasItOpenIsTold(Use use) throws SQLException {
    String name = use.filterName();
    BloomFilter<String> mine = here.reserve(name, use.spec(KeyType.text()), use.options());
    BloomFilter<String> theirs = there.open(name, KeyType.text(), use.options());
    mine.add("a");
    assertThat(theirs.mightContain("a")).isTrue();

    here.drop(name);

    for (BloomFilter<String> filter : List.of(mine, theirs)) {
      assertThatThrownBy(() -> filter.mightContain("a"))
          .isInstanceOf(FilterNotFoundException.class);
      assertThatThrownBy(() -> filter.mightContainEach(List.of("a", "b")))
          .isInstanceOf(FilterNotFoundException.class);
      assertThatThrownBy(() -> filter.add("b")).isInstanceOf(FilterNotFoundException.class);
      assertThatThrownBy(() -> filter.addAsync("c").get())
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(FilterNotFoundException.class);
      assertThatThrownBy(filter::fold).isInstanceOf(FilterNotFoundException.class);
      assertThatThrownBy(filter::clear).isInstanceOf(FilterNotFoundException.class);
      assertThatThrownBy(filter::info).isInstanceOf(FilterNotFoundException.class);
      filter.close();
    }
    assertThat(here.list()).doesNotContain(name);
    assertThatThrownBy(() -> here.drop(name)).isInstanceOf(FilterNotFoundException.class);
    assertThat(sql.texts("SHOW TABLES LIKE ?", "bloom\\_bits\\_" + name + "%")).isEmpty();
  }

  @Test
  void anOpenFilterDoesNotBecomeAnotherOneOfTheSameName() {
    BloomFilter<String> old = there.open(here.reserve("heir", SPEC).name(), SPEC);
    here.drop("heir");
    BloomFilter<String> heir = here.reserve("heir", SPEC);
    heir.add("a");
    assertThatThrownBy(() -> old.mightContain("a")).isInstanceOf(FilterNotFoundException.class);
    assertThatThrownBy(() -> old.add("b")).isInstanceOf(FilterNotFoundException.class);
    assertThatThrownBy(old::clear).isInstanceOf(FilterNotFoundException.class);
    assertThatThrownBy(old::fold).isInstanceOf(FilterNotFoundException.class);
    assertThat(heir.mightContain("a")).isTrue();
  }

  @Test
  void aDropThatWasCutOffIsFinishedByTheNextCall() throws SQLException {
    here.reserve("cut_off", SPEC).add("a");
    // What a process leaves that dies after it has dropped the table.
    sql.run("UPDATE bloom_filter SET state = 'DROPPING', epoch = epoch + 1 WHERE name = 'cut_off'");
    sql.run("DROP TABLE bloom_bits_cut_off_v1");
    assertThat(there.list()).doesNotContain("cut_off");
    assertThatThrownBy(() -> there.reserve("cut_off", SPEC))
        .isInstanceOf(FilterExistsException.class)
        .hasMessageContaining("Drop it again");
    assertThatThrownBy(() -> there.clear("cut_off")).isInstanceOf(FilterNotFoundException.class);
    there.drop("cut_off");
    assertThat(sql.number("SELECT COUNT(*) FROM bloom_filter WHERE name = 'cut_off'")).isZero();
    assertThat(there.reserve("cut_off", SPEC).add("a")).isTrue();
  }
}
