package io.github.slotbloom.internal.transfer;

import static io.github.slotbloom.testing.Exports.export;
import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.error.FilterExistsException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidExportException;
import io.github.slotbloom.report.FilterUsage;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.HeldReplacement;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TappedConnections;
import io.github.slotbloom.testing.TestSchema;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A filter in a file, and what is made of it again. */
@DatabaseContract(shortLeases = true)
@Timeout(300)
@Tag("mysql")
class SnapshotIT {

  private static final List<String> OTHERS = keys("other ", 5000);

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  private static FilterSpec.Builder<String> spec(long capacity) {
    return FilterSpec.builder(KeyType.text()).capacity(capacity);
  }

  private static String importInto(byte[] export) throws IOException {
    String name = newName();
    there.importFrom(name, new ByteArrayInputStream(export));
    return name;
  }

  private static List<List<String>> slots(String name) throws SQLException {
    List<List<String>> slots = new ArrayList<>();
    for (String table :
        sql.texts(
            "SELECT slot_table FROM bloom_generation_status WHERE name = ? ORDER BY generation",
            name)) {
      slots.addAll(sql.rows("SELECT slot, bits FROM " + table + " ORDER BY slot"));
    }
    return slots;
  }

  @Test
  void aCopyOfAGrownFilterAnswersAsTheFilterDoes() throws Exception {
    String name = newName();
    FilterSpec<String> spec =
        spec(2000).seed(99).falsePositiveRate(0.02).layout(Layout.STANDARD).build();
    BloomFilter<String> filter = here.reserve(name, spec);
    filter.addEach(keys("a", 1500));
    here.admin(name).grow(9000);
    filter.addEach(keys("b", 3000));

    String copied = importInto(export(here, name));
    assertThat(there.info(copied).usage()).isEqualTo(FilterUsage.NONE);
    BloomFilter<String> copy = there.open(copied, spec);
    BloomFilter<String> direct = here.open(copied, spec, FilterOptions.defaults().withoutMirror());
    assertThat(slots(copied)).isEqualTo(slots(name));
    for (BloomFilter<String> one : List.of(copy, direct)) {
      assertThat(one.mightContainEach(keys("a", 1500))).containsOnly(true);
      assertThat(one.mightContainEach(keys("b", 3000))).containsOnly(true);
      assertThat(one.mightContainEach(OTHERS)).isEqualTo(filter.mightContainEach(OTHERS));
    }
    // The server finds out in the background how large its tables are, or when it is told to.
    sql.rows(
        "ANALYZE TABLE bloom_journal, "
            + Stream.of(copy, filter)
                .flatMap(one -> here.info(one.name()).generations().stream())
                .map(FilterInfo.Generation::slotTable)
                .collect(Collectors.joining(", ")));
    assertThat(here.info(copy.name()))
        .usingRecursiveComparison()
        .ignoringFields(
            "id",
            "name",
            "generations",
            "lastSequence",
            "foldedSequence",
            "journalRows",
            "createdAt",
            "epoch",
            // Told in the background, of each filter what it was asked.
            "usage")
        .isEqualTo(here.info(filter.name()));
    assertThat(here.info(copy.name()).generations())
        .usingRecursiveComparison()
        .ignoringFields("slotTable")
        .isEqualTo(here.info(filter.name()).generations());

    // It lives on as any other.
    assertThat(copy.addEach(keys("c", 1000))).isEqualTo(filter.addEach(keys("c", 1000)));
    assertThat(here.info(copy.name()).keysAdded()).isEqualTo(here.info(filter.name()).keysAdded());
    there.admin(copied).grow(20_000);
    copy.addEach(keys("d", 1000));
    assertThat(direct.mightContainEach(keys("d", 1000))).containsOnly(true);
    here.admin(copy.name()).fold();
    assertThat(here.info(copy.name()).generations()).hasSize(3);
    there.admin(copied).clear();
    assertThat(direct.mightContain("a1")).isFalse();
    assertThat(filter.mightContain("a1")).isTrue();
  }

  @Test
  void retainedHashesAreExported() throws Exception {
    String name = newName();
    BloomFilter<String> filter = here.reserve(name, spec(1000).retainHashes().build());
    filter.addEach(keys("a", 300));
    for (String key : keys("b", 300)) {
      filter.add(key);
    }
    String copied = importInto(export(here, name));
    assertThat(
            sql.number(
                "SELECT SUM(LENGTH(hashes)) DIV 8 FROM bloom_hash_block WHERE filter_id = ?",
                there.info(copied).id()))
        .isBetween(595L, 600L);
    BloomFilter<String> copy = there.open(copied, KeyType.text());
    copy.addEach(keys("c", 100));
    there.admin(copied).replace(5000, KeySource.journal(), ReplaceOptions.defaults());
    there.admin(copied).copyTo(copied + "_again");
    there.admin(copied + "_again").replace(9000, KeySource.journal(), ReplaceOptions.defaults());
    for (String each : List.of(copied, copied + "_again")) {
      BloomFilter<String> replaced = here.open(each, KeyType.text());
      for (String prefix : List.of("a", "b")) {
        assertThat(replaced.mightContainEach(keys(prefix, 300))).containsOnly(true);
      }
      assertThat(replaced.mightContainEach(keys("c", 100))).containsOnly(true);
    }
    assertThat(here.info(copied + "_again").generations())
        .singleElement()
        .extracting(FilterInfo.Generation::capacity)
        .isEqualTo(9000L);
  }

  @Test
  void anExportDuringAReplacementHoldsTheAnsweringGenerations() throws Exception {
    String name = newName();
    BloomFilter<String> filter = here.reserve(name, spec(1000).build());
    filter.addEach(keys("a", 500));
    try (HeldReplacement replacement = new HeldReplacement(here, name, 5000, keys("a", 500))) {
      String copied = importInto(export(here, name));
      assertThat(there.info(copied).capacity()).isEqualTo(1000);
      assertThat(there.open(copied, KeyType.text()).mightContainEach(keys("a", 500)))
          .containsOnly(true);
      replacement.finish();
    }
    here.admin(name).copyTo(name + "_copy");
    // As the filter itself, it is opened with what it was reserved with.
    assertThat(here.open(name + "_copy", spec(1000).build()).mightContain("a0")).isTrue();
  }

  @Test
  void aDamagedExportMakesNoFilter(@TempDir Path folder) throws Exception {
    String name = newName();
    here.reserve(name, spec(30_000).build()).addEach(keys("a", 9000));
    here.admin(name).grow(50_000);
    byte[] export = export(here, name);
    byte[] flipped = export.clone();
    flipped[export.length / 2] ^= 4;
    String target = newName();
    for (byte[] damaged :
        List.of(
            new byte[0],
            Arrays.copyOf(export, 300),
            Arrays.copyOf(export, export.length - 1),
            Arrays.copyOf(export, export.length + 1),
            flipped)) {
      assertThatThrownBy(() -> there.importFrom(target, new ByteArrayInputStream(damaged)))
          .isInstanceOf(InvalidExportException.class);
      ImportFaultsIT.assertNothingLeft(sql, target);
    }
    Path file = Files.write(folder.resolve("flipped"), flipped);
    assertThatThrownBy(() -> there.importFrom(target, file))
        .isInstanceOf(InvalidExportException.class);
    there.importFrom(target, Files.write(folder.resolve("whole"), export));
    assertThat(slots(target)).isEqualTo(slots(name));
    assertThatThrownBy(() -> there.importFrom(target, new ByteArrayInputStream(export)))
        .isInstanceOf(FilterExistsException.class)
        .hasMessageContainingAll(target + " already exists", "or drop that filter first");
  }

  @Test
  void anImportSurvivesALostAnswer() throws Exception {
    String name = newName();
    BloomFilter<String> filter =
        here.reserve(name, spec(10_000).falsePositiveRate(1e-6).retainHashes().buildRemovable(50));
    filter.addEach(keys("a", 3000));
    Removing.from(filter).removeEach(keys("a", 500));
    byte[] export = export(here, name);
    String which = "SELECT EXISTS (SELECT * FROM bloom_filter WHERE name = '%s' AND ";
    for (String moment :
        List.of(
            "state = 'IMPORTING')",
            "state = 'IMPORTING' AND id IN (SELECT filter_id FROM bloom_hash_block))",
            // Removed keys are written.
            "(EXISTS (SELECT * FROM bloom_journal WHERE filter_id = id AND keys_removed > 0) OR"
                + " EXISTS (SELECT * FROM bloom_fold WHERE filter_id = id AND folded_at >"
                + " created_at)))",
            "state = 'ACTIVE')")) {
      for (String outcome : List.of("COMMIT", "ROLLBACK")) {
        String copied = newName();
        TappedConnections tapped = new TappedConnections(schema.dataSource());
        try (SlotBloom bloom = SlotBloom.on(tapped.dataSource())) {
          tapped.loseCommit(which.formatted(copied) + moment, commit -> commit.execute(outcome));
          bloom.importFrom(copied, new ByteArrayInputStream(export));
          assertThat(slots(copied)).isEqualTo(slots(name));
          assertThat(bloom.info(copied).keysAdded()).isEqualTo(here.info(name).keysAdded());
          assertThat(bloom.info(copied).keysRemoved()).isEqualTo(500);
          assertThat(bloom.open(copied, KeyType.text()).mightContainEach(keys("a", 500)))
              .doesNotContain(true);
        }
      }
    }
  }

  @Test
  void anExportFileAppearsWholeAndOnlyForItsOwner(@TempDir Path folder) throws Exception {
    String name = newName();
    here.reserve(name, spec(1000).build()).add("a");
    Path file = folder.resolve("urls.bloom");
    here.admin(name).exportTo(file);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    byte[] first = Files.readAllBytes(file);
    assertThatThrownBy(() -> here.admin(name).exportTo(file))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(file).hasBinaryContent(first);
    here.open(name, KeyType.text()).add("b");
    here.admin(name).exportTo(file, StandardCopyOption.REPLACE_EXISTING);
    String copied = newName();
    there.importFrom(copied, file);
    assertThat(there.open(copied, KeyType.text()).mightContain("b")).isTrue();
    Path empty = Files.createDirectory(folder.resolve("empty"));
    assertThatThrownBy(() -> here.admin(name).exportTo(empty, StandardCopyOption.REPLACE_EXISTING))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("it is not a regular file");
    Files.delete(empty);
    assertThatThrownBy(() -> here.admin("missing").exportTo(folder.resolve("other")))
        .isInstanceOf(FilterNotFoundException.class);
    try (var files = Files.list(folder)) {
      assertThat(files).containsExactly(file);
    }
  }

  @Test
  void aFilterClearedMeanwhileIsNotExported() {
    String name = newName();
    here.reserve(name, spec(30_000).retainHashes().build()).addEach(keys("a", 9000));
    AtomicBoolean cleared = new AtomicBoolean();
    OutputStream clearing =
        new OutputStream() {
          @Override
          public void write(int one) {
            throw new AssertionError("bytes come together");
          }

          @Override
          public void write(byte[] bytes, int from, int length) {
            if (!cleared.getAndSet(true)) {
              there.admin(name).clear();
            }
          }
        };
    assertThatThrownBy(() -> here.admin(name).exportTo(clearing))
        .isInstanceOf(FilterUnavailableException.class)
        .hasMessageContaining(name + " was cleared");
  }
}
