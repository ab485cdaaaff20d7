package io.github.slotbloom.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.cli.InProcess;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The report of a filter, from the database to the file. */
@DatabaseContract(onOne = true)
@Tag("e2e")
class ReportCommandIT {

  @Test
  void aPageTellsAHealthyFilterFromADamagedOne(TestSchema schema, @TempDir Path directory)
      throws Exception {
    InProcess slotbloom =
        new InProcess(directory)
            .on(schema, schema.owner())
            .at(Instant.parse("2026-02-03T04:05:06Z"));
    String keys =
        IntStream.range(0, 600).mapToObj(i -> "key " + i + "\n").collect(Collectors.joining());
    slotbloom.run("migrate").succeeded();
    slotbloom.run("reserve words --capacity 1000").succeeded();
    slotbloom.runOn(keys, "dedup words").succeeded();
    Path file = directory.resolve("words.html");
    String report = "report words --html " + file;

    assertThat(slotbloom.out(report)).isEmpty();
    Document healthy = Jsoup.parse(file);
    assertThat(healthy.select("header").text())
        .contains("3 February 2026, 04:05 UTC", "words", "Healthy. 60 % of the capacity");
    assertThat(healthy.select(".notices li")).isEmpty();
    assertThat(healthy.select("section[aria-labelledby=checked]").text())
        .contains("folded entries hashes: 600");

    Sql sql = new Sql(schema.dataSource());
    String slots = sql.slots("words", 1);
    sql.run("DELETE FROM " + slots + " WHERE slot < 100");
    assertThat(slotbloom.out(report)).isEmpty();
    Document damaged = Jsoup.parse(file);
    assertThat(damaged.select("header").text()).contains("Damaged.");
    assertThat(damaged.select(".notices h3").eachText())
        .anyMatch(title -> title.startsWith("Verification found: bits missing in " + slots))
        .anyMatch(title -> title.contains("rows missing in " + slots));
    assertThat(damaged.select(".outlier")).isNotEmpty();

    assertThat(slotbloom.out("report words --no-verify --html -"))
        .startsWith("<!DOCTYPE html>")
        .contains("was not verified");
    assertThat(slotbloom.error(1, "report words --html " + directory))
        .contains("Cannot write " + directory + ": it is not a regular file.");
    assertThat(slotbloom.error(2, "report words")).contains("--html");
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).containsExactly(file);
    }
  }
}
