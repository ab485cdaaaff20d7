package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.cli.InProcess.Begun;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A filter is renamed from the command line. */
@DatabaseContract(migrated = true, shortLeases = true, onOne = true)
@Tag("e2e")
class RenameCommandIT extends OnSchema {

  @Test
  void aRenamedFilterIsFoundByItsNewNameAlone() throws Exception {
    slotbloom.run("reserve old --capacity 1000 --removable").succeeded();
    slotbloom.run("add old a b").succeeded();
    slotbloom.run("remove old b").succeeded();

    assertThat(slotbloom.run("rename old new").succeeded().err())
        .contains("Filter old is now named new.");

    assertThat(slotbloom.out("list")).isEqualTo("new\n");
    assertThat(slotbloom.out("exists new a")).isEqualTo("1\ta\n");
    slotbloom.run("exists new b").ended(3);
    assertThat(slotbloom.error(1, "exists old a"))
        .contains("There is no filter old. There are new.");
    assertThat(slotbloom.error(1, "rename old other")).contains("There is no filter old");
    slotbloom.run("verify new").succeeded();

    // What asks for a confirmation cannot be undone.
    slotbloom.run("rename new old").succeeded();
    slotbloom.run("grow old --capacity 5000").succeeded();
    assertThat(slotbloom.out("info old")).contains(sql.slots("old", 2));
  }

  @Test
  void aNameIsAnyText() throws Exception {
    for (String name :
        List.of("{acme}:urls", "it's \"mine\" ", "\u6771\u4eac", "100% -x; rm", "a")) {
      slotbloom.run("reserve", name, "--capacity", "1000", "--hash", "sha256").succeeded();
      slotbloom.run("add", name, "k").succeeded();
      assertThat(slotbloom.run("exists", name, "k").succeeded().out()).isEqualTo("1\tk\n");
      assertThat(slotbloom.run("list").out()).isEqualTo(name + "\n");
      assertThat(slotbloom.run("info", name).succeeded().out())
          .startsWith("Filter " + new FilterName(name) + "\n");
      assertThat(slotbloom.run("function", name).succeeded().out()).contains("CREATE FUNCTION");
      sql.rows("SELECT 1 FROM " + bits(name));
      assertThat(slotbloom.run("rename", "--", name, "-x").succeeded().err())
          .contains("Filter " + new FilterName(name) + " is now named \"-x\".");
      assertThat(slotbloom.run("exists", "--", "-x", "k").succeeded().out()).isEqualTo("1\tk\n");
      slotbloom.run("drop", "--yes", "--", "-x").succeeded();
    }
  }

  private String bits(String name) throws SQLException {
    return sql.text("SELECT slot_table FROM bloom_generation_status WHERE name = ?", name);
  }

  @Test
  void namesThatCannotBeGivenAreRefused() throws Exception {
    slotbloom.run("reserve a --capacity 1000").succeeded();
    slotbloom.run("reserve b --capacity 1000").succeeded();
    assertThat(slotbloom.error(1, "rename a b"))
        .contains("Filter b already exists", "Choose another name");
    assertThat(slotbloom.error(2, "rename a a")).contains("Filter a already has that name");
    assertThat(slotbloom.run("rename", "a", "A\nb").failed(2).err()).contains("A filter name has");
    assertThat(slotbloom.error(2, "rename a")).contains("NEW_NAME");
    assertThat(slotbloom.run("list").out()).isEqualTo("a\nb\n");
  }

  @Test
  @PossibleLog(KnownLogs.FOLDING_FAILED)
  void aCommandThatRunsIsToldTheNewName() throws Exception {
    Begun dedup = slotbloom.begin("dedup old --capacity 1000");
    dedup.typeUntil("a\nb\n", "a\nb\n");
    slotbloom.run("rename old new").succeeded();
    assertThat(dedup.end("c\n").ended(1).err())
        .contains("standard input, line 3", "Filter old was renamed to new");
    assertThat(slotbloom.run("exists new a b c").ended(3).out()).isEqualTo("1\ta\n1\tb\n0\tc\n");
  }
}
