package io.github.slotbloom.testing;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The classes that a {@link JavaProcess} loads, ready for use. With them a process that opens a
 * filter takes half as much of the processors.
 *
 * <p>Java takes them from jars alone, and only where the class path begins with the same jars. The
 * first process that opens a filter writes down what it loads; after its end the archive is made,
 * once for all tests of a build. Until then, and wherever that fails, processes start without.
 */
final class ClassArchive {

  private static final Path PLACE = Path.of("target").toAbsolutePath();
  private static final String NAME = "class-archive";

  /** A process that asked the database nothing did too little for the others to learn from. */
  private static final String QUERY = "\norg/jooq/impl/SelectImpl\n";

  private static final ClassArchive OF_THIS_CLASS_PATH = new ClassArchive(classPath());

  private final List<Path> jars = new ArrayList<>();
  private final List<Path> others = new ArrayList<>();
  private final Path file;

  private ClassArchive(String classPath) {
    for (String entry : classPath.split(File.pathSeparator)) {
      Path path = Path.of(entry);
      (Files.isRegularFile(path) ? jars : others).add(path);
    }
    file = PLACE.resolve(NAME + "-" + Integer.toHexString(version().hashCode()) + ".jsa");
  }

  static ClassArchive ofThisClassPath() {
    return OF_THIS_CLASS_PATH;
  }

  /** Returns the class path of this JVM. Surefire may keep the real one in its own property. */
  private static String classPath() {
    String real = System.getProperty("surefire.test.class.path");
    return real == null ? System.getProperty("java.class.path") : real;
  }

  /** Returns what the archive depends on. */
  private String version() {
    return jars.stream()
        .map(jar -> jar + " " + jar.toFile().length() + " " + jar.toFile().lastModified())
        .collect(Collectors.joining("\n", System.getProperty("java.vm.version"), ""));
  }

  /** A process that is about to start. */
  final class User {

    /** Where the process writes down what it loads. */
    private final Path list;

    private final List<String> options;

    private User() throws IOException {
      list = PLACE.resolve(NAME + "-" + ProcessHandle.current().pid() + "-" + hashCode() + ".lst");
      options = new ArrayList<>(List.of("-Xlog:cds*=off:stderr"));
      if (Files.exists(file)) {
        options.add("-XX:SharedArchiveFile=" + file);
      } else if (Files.isDirectory(PLACE)) {
        options.add("-XX:DumpLoadedClassList=" + list);
      }
      options.add("-cp");
      options.add(join(Stream.concat(jars.stream(), others.stream())));
    }

    /** Returns the options of Java, the class path among them. */
    List<String> options() {
      return options;
    }

    void started(Process process) {
      process.onExit().thenRunAsync(this::learn);
    }

    private void learn() {
      try {
        if (Files.exists(list)) {
          String loaded = Files.readString(list);
          if (loaded.contains(QUERY)) {
            // Of a process that was killed, the last line may be cut off.
            Files.writeString(list, loaded.substring(0, loaded.lastIndexOf('\n') + 1));
            make(list);
          }
          Files.delete(list);
        }
      } catch (IOException e) {
        // As where the build was cleaned meanwhile: processes start without, which takes longer.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  User newUser() throws IOException {
    return new User();
  }

  private void make(Path list) throws IOException, InterruptedException {
    try (FileChannel channel =
            FileChannel.open(
                PLACE.resolve(NAME + ".lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      if (lock != null && !Files.exists(file)) {
        try (DirectoryStream<Path> earlier = Files.newDirectoryStream(PLACE, NAME + "-*.jsa")) {
          for (Path archive : earlier) {
            Files.delete(archive);
          }
        }
        Path unfinished = PLACE.resolve(NAME + ".new");
        Process process =
            new ProcessBuilder(
                    JavaProcess.java(),
                    "-Xshare:dump",
                    "-XX:+UseSerialGC",
                    "-XX:SharedClassListFile=" + list,
                    "-XX:SharedArchiveFile=" + unfinished,
                    "-cp",
                    join(jars.stream()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (process.waitFor() == 0) {
          Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        }
      }
    } catch (OverlappingFileLockException e) {
      // Another thread is making it.
    }
  }

  private static String join(Stream<Path> paths) {
    return paths.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }
}
