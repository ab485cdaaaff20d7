package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.testing.DatabaseContract;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Keys of a block list are rescued from the command line. */
@DatabaseContract(migrated = true, onOne = true)
@Tag("e2e")
class RescueCommandIT extends OnSchema {

  @Test
  void aRescuedKeyIsNotBlocked() throws Exception {
    slotbloom.run("reserve names --capacity 1000 --fpp 1e-9").succeeded();
    slotbloom.run("add names ann bob").succeeded();

    String why = "ann \u001b[31mpays\tagain\u2028";
    String[] rescue = {"rescue", "names", "ann", "eve", "--why", why, "--by", "me"};
    assertThat(slotbloom.run(rescue).succeeded().out()).isEqualTo("1\tann\n1\teve\n");
    assertThat(slotbloom.run(rescue).succeeded().out()).isEqualTo("0\tann\n0\teve\n");

    assertThat(slotbloom.run("exists names ann bob --unless-rescued").ended(3).out())
        .isEqualTo("0\tann\n1\tbob\n");
    assertThat(slotbloom.out("exists names ann")).isEqualTo("1\tann\n");
    assertThat(slotbloom.out("rescues names").lines())
        .hasSize(2)
        .allSatisfy(
            line ->
                assertThat(line).matches("0x[0-9a-f]{16}\t\\S+Z\t-\tme\tann \\[31mpays again "));

    assertThat(slotbloom.out("rescue names ann --end")).isEqualTo("1\tann\n");
    assertThat(slotbloom.outOn("bob\n", "rescue names --why b --until 2199-01-01T00:00:00Z"))
        .isEqualTo("1\tbob\n");
    assertThat(slotbloom.run("exists names ann bob --unless-rescued").ended(3).out())
        .isEqualTo("1\tann\n0\tbob\n");
    assertThat(slotbloom.out("rescues names --json"))
        .contains("\"reason\":\"b\"", "\"rescuedUntil\":\"2199-01-01T00:00:00Z\"");
  }

  @Test
  void aRescueNeedsAReason() throws Exception {
    slotbloom.run("reserve names --capacity 1000").succeeded();
    assertThat(slotbloom.error(2, "rescue names ann")).contains("--why TEXT");
    assertThat(slotbloom.error(2, "rescue names ann --end --why x"))
        .contains("--end cannot be combined with");
    assertThat(slotbloom.run("rescue", "names", "ann", "--why", " ").failed(2).err())
        .contains("The reason of a rescue must have");
    assertThat(slotbloom.error(2, "rescue names ann --why x --until 2001-01-01T00:00:00Z"))
        .contains("has already ended");
    assertThat(slotbloom.out("rescues names")).isEmpty();
  }
}
