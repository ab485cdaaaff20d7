package io.github.slotbloom.perf.server;

import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.ContainerFetchException;

/** The servers that can be started. */
public enum DatabaseKind {
  /** MySQL in a container. */
  MYSQL,
  /** MariaDB as its own process. */
  MARIADB;

  /**
   * Returns MySQL if Docker answers and has everything that Testcontainers needs, or else MariaDB.
   */
  public static DatabaseKind ofThisMachine() {
    try {
      return DockerClientFactory.instance().isDockerAvailable() ? MYSQL : MARIADB;
    } catch (ContainerFetchException e) {
      System.err.println("Docker cannot be used, so MariaDB is: " + e.getMessage());
      return MARIADB;
    }
  }
}
