package io.github.slotbloom;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.TestSchema;
import java.io.File;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that is a module, and requires that of the library alone. */
@DatabaseContract(onOne = true)
@Tag("e2e")
class ModuleIT {

  private static final Path TARGET = Path.of("target").toAbsolutePath();
  private static final Path JAR = TARGET.resolve("slotbloom.jar");
  private static final int PATIENCE_SECONDS = 120;

  private static final String MODULE =
      """
      module program {
        requires io.github.slotbloom;
      }
      """;

  private static final String PROGRAM =
      """
      package program;

      import io.github.slotbloom.BloomFilter;
      import io.github.slotbloom.FilterSpec;
      import io.github.slotbloom.LookupGuard;
      import io.github.slotbloom.SlotBloom;
      import io.github.slotbloom.core.HashAlgorithm;
      import io.github.slotbloom.core.KeyType;
      import java.lang.reflect.Proxy;
      import java.sql.DriverManager;
      import java.util.Map;
      import javax.sql.DataSource;

      public class Program {
        public static void main(String[] args) {
          DataSource connections =
              (DataSource)
                  Proxy.newProxyInstance(
                      Program.class.getClassLoader(),
                      new Class<?>[] {DataSource.class},
                      (proxy, method, arguments) ->
                          DriverManager.getConnection(args[0], args[1], args[2]));
          try (SlotBloom bloom = SlotBloom.on(connections)) {
            bloom.migrate();
            for (HashAlgorithm hash : HashAlgorithm.values()) {
              FilterSpec<String> spec =
                  FilterSpec.builder(KeyType.text()).capacity(1000).hash(hash).build();
              try (BloomFilter<String> filter = bloom.openOrReserve(hash.id(), spec)) {
                System.out.println(
                    hash.id() + " " + filter.add("a") + " " + filter.mightContain("a"));
                LookupGuard<String, String> guard = new LookupGuard<>(filter, keys -> Map.of());
                System.out.println(guard.find("b"));
              }
            }
          }
        }
      }
      """;

  @TempDir Path directory;

  @Test
  void aModuleThatRequiresTheLibraryAloneIsCompiledAndRuns(TestSchema schema) throws Exception {
    Path module = Files.writeString(directory.resolve("module-info.java"), MODULE);
    Path program = Files.writeString(directory.resolve("Program.java"), PROGRAM);
    Path classes = directory.resolve("classes");
    String libraries = JAR + File.pathSeparator + TARGET.resolve("lib");
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-p",
                libraries,
                "-d",
                classes.toString(),
                module.toString(),
                program.toString());
    assertThat(failed).isZero();

    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-p",
                libraries + File.pathSeparator + classes,
                "-m",
                "program/program.Program",
                schema.url(),
                schema.owner().user(),
                schema.owner().password())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertThat(ended).as(Files.readString(err)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(err)).isZero();
    assertThat(Files.readAllLines(out, UTF_8))
        .containsExactly(
            "xxh3_64 true true",
            "Optional.empty",
            "murmur3_128 true true",
            "Optional.empty",
            "siphash24 true true",
            "Optional.empty",
            "sha256 true true",
            "Optional.empty");
  }

  /** Its name is not certain to stay, so no descriptor may name it. */
  @Test
  void theModuleOfTheLibraryDoesNotNameThatOfFlyway() throws Exception {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      List<String> required =
          ModuleDescriptor.read(jar.getInputStream(jar.getJarEntry("module-info.class")))
              .requires()
              .stream()
              .map(ModuleDescriptor.Requires::name)
              .toList();
      assertThat(required).contains("java.sql").noneMatch(name -> name.contains("flyway"));
    }
  }
}
