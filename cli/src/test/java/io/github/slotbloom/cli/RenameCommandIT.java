package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.cli.Slotbloom.Running;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.ShortLease;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A filter is renamed from the command line. */
@DatabaseContract(migrated = true, onOne = true)
@Tag("e2e")
class RenameCommandIT extends OnSchema {

  @BeforeEach
  void shortenLeases() throws SQLException {
    ShortLease.forAll(sql);
  }

  @Test
  void aRenamedFilterIsFoundByItsNewNameAlone() throws Exception {
    slotbloom.run("reserve", "old", "--capacity", "1000", "--removable").succeeded();
    slotbloom.run("add", "old", "a", "b").succeeded();
    slotbloom.run("remove", "old", "b").succeeded();

    assertThat(slotbloom.run("rename", "old", "new").succeeded().err())
        .contains("Filter old is named new now.");

    assertThat(slotbloom.run("list").succeeded().out()).isEqualTo("new\n");
    assertThat(slotbloom.run("exists", "new", "a").succeeded().out()).isEqualTo("1\ta\n");
    slotbloom.run("exists", "new", "b").ended(3);
    assertThat(slotbloom.run("exists", "old", "a").failed(1).err())
        .contains("There is no filter old. There are new.");
    assertThat(slotbloom.run("rename", "old", "other").failed(1).err())
        .contains("There is no filter old");
    slotbloom.run("verify", "new").succeeded();

    // What asks for a confirmation cannot be undone.
    slotbloom.run("rename", "new", "old").succeeded();
    slotbloom.run("grow", "old", "--capacity", "5000").succeeded();
    assertThat(slotbloom.run("info", "old").succeeded().out()).contains("bloom_bits_old_v2");
  }

  @Test
  void namesThatCannotBeGivenAreRefused() throws Exception {
    slotbloom.run("reserve", "a", "--capacity", "1000").succeeded();
    slotbloom.run("reserve", "b", "--capacity", "1000").succeeded();
    assertThat(slotbloom.run("rename", "a", "b").failed(1).err())
        .contains("Filter b exists", "choose another name");
    assertThat(slotbloom.run("rename", "a", "a").failed(2).err())
        .contains("Filter a has that name already");
    assertThat(slotbloom.run("rename", "a", "A b").failed(2).err()).contains("A filter name has");
    assertThat(slotbloom.run("rename", "a").failed(2).err()).contains("NEW_NAME");
    assertThat(slotbloom.run("list").out()).isEqualTo("a\nb\n");
  }

  @Test
  void aCommandThatRunsIsToldTheNewName() throws Exception {
    Running running = launcher.startInteractive("dedup", "old", "--capacity", "1000");
    running.type("a\nb\n");
    running.awaitOutput("a\nb\n");
    slotbloom.run("rename", "old", "new").succeeded();
    running.type("c\n");
    running.process().getOutputStream().close();
    assertThat(running.await().ended(1).err())
        .contains("standard input, line 3", "Filter old was renamed to new");
    assertThat(slotbloom.run("exists", "new", "a", "b", "c").ended(3).out())
        .isEqualTo("1\ta\n1\tb\n0\tc\n");
  }
}
