package io.github.slotbloom.cli.embedded;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The server process of one home. The process that starts it puts it into a session of its own. So
 * Ctrl-C, Ctrl-Z or a closed terminal do not reach it while other processes use it.
 *
 * <p>The process table and the socket tell if it runs; a file could be left behind by a crash. Only
 * a process of the same account counts, and it must run a server program as this class starts it on
 * this home. Arguments alone prove nothing, because any account can give any arguments to a
 * process.
 */
final class Server {

  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final Duration BEFORE_A_WORD = Duration.ofSeconds(3);

  /**
   * The free space that a new database needs, in MiB: 144 MiB for data and up to 96 MiB for logs.
   */
  private static final long ROOM_FOR_NEW_DATA_MIB = 240;

  private static final long ROOM_TO_START_MIB = 16;

  private final Home home;
  private final Path cache;
  private final Consumer<String> notices;
  private final String dataArgument;
  private final String initArgument;

  Server(Home home, Path cache, Consumer<String> notices) {
    this.home = home;
    this.cache = cache;
    this.notices = notices;
    dataArgument = "--datadir=" + home.data();
    initArgument = "--init-file=" + home.initFile();
  }

  /**
   * Finds the running server, or starts one on the existing data. The caller must hold the gate.
   */
  ServerAddress attachOrStart() throws IOException, InterruptedException {
    Optional<ServerAddress> known = ServerAddress.read(home.clientFile(), home.socket());
    if (known.isPresent() && known.get().answers()) {
      return known.get();
    }
    Optional<ProcessHandle> running = find();
    if (running.isPresent()) {
      // The process that started it was killed too early, or the server is recovering or shutting
      // down.
      ProcessHandle process = running.get();
      if (known.isPresent() && awaitAnswer(known.get(), process, () -> isOurs(process))) {
        return known.get();
      }
      stop();
    }
    return start();
  }

  /** Stops the running server cleanly, and waits for its end. The caller must hold the gate. */
  void stop() throws InterruptedException {
    Optional<ProcessHandle> running = find();
    if (running.isPresent()) {
      running.get().destroy();
      Waiting waiting = new Waiting("stop");
      while (isOurs(running.get())) {
        waiting.more(running.get());
      }
    }
  }

  private ServerAddress start() throws IOException, InterruptedException {
    Binaries binaries = Binaries.unpackedIn(cache, notices);
    boolean isNew = !Files.isDirectory(home.data());
    home.requireRoom(isNew ? ROOM_FOR_NEW_DATA_MIB : ROOM_TO_START_MIB);
    if (isNew) {
      notices.accept("Creating a database in " + home.data() + " ...");
      binaries.install(home);
    }
    Home.createPrivate(home.temporary());
    ServerAddress address = ServerAddress.of(home.socket());
    // The address is written before the process starts, so that other processes can always find it.
    address.write(home.clientFile());
    Home.writeSecret(home.initFile(), address.accountSql());
    if (Files.exists(home.log())) {
      Path previous = home.directory().resolve("server.log.1");
      Files.move(home.log(), previous, StandardCopyOption.REPLACE_EXISTING);
    }
    Process process = launch(command(binaries));
    if (!awaitAnswer(address, process.toHandle(), process::isAlive)) {
      throw new EmbeddedDatabaseException(
          "The embedded database ended with code "
              + process.waitFor()
              + " while starting; "
              + reason());
    }
    Files.delete(home.initFile());
    return address;
  }

  private Process launch(List<String> command) throws IOException {
    try {
      File nowhere = new File("/dev/null");
      return new ProcessBuilder(command)
          .directory(home.directory().toFile())
          .redirectInput(nowhere)
          .redirectOutput(home.log().toFile())
          .redirectErrorStream(true)
          .start();
    } catch (IOException e) {
      throw new EmbeddedDatabaseException(
          "Cannot start the embedded database ("
              + e.getMessage()
              + "); install the program setsid (package util-linux).",
          e);
    }
  }

  /**
   * Returns the command that runs the client. A file holds the server's address and the account,
   * because all users can see arguments.
   */
  List<String> clientCommand() {
    return List.of(
        Binaries.unpackedIn(cache, notices).client().toString(),
        "--defaults-file=" + home.clientFile(),
        "--default-character-set=utf8mb4",
        "--database=" + ServerAddress.SCHEMA);
  }

  private List<String> command(Binaries binaries) {
    return List.of(
        "setsid",
        binaries.server().toString(),
        "--no-defaults",
        dataArgument,
        "--basedir=" + binaries.directory(),
        "--tmpdir=" + home.temporary(),
        // The server refuses to run as root without this option; for other users it ignores the
        // option.
        "--user=" + System.getProperty("user.name"),
        initArgument,
        // Another account's server could take a port, and would then receive the keys.
        "--skip-networking",
        "--socket=" + home.socket(),
        "--pid-file=mysqld.pid",
        "--skip-name-resolve",
        "--skip-ssl",
        "--max-connections=500",
        "--max-allowed-packet=64M",
        "--innodb-buffer-pool-size=256M",
        "--innodb-buffer-pool-dump-at-shutdown=OFF",
        "--innodb-buffer-pool-load-at-startup=OFF",
        // Only these options together make everything durable that another process can read.
        "--innodb-flush-log-at-trx-commit=1",
        "--log-bin=binlog",
        "--sync-binlog=1",
        "--server-id=1",
        "--binlog-format=ROW",
        "--binlog-row-image=MINIMAL",
        "--max-binlog-size=64M",
        "--max-binlog-total-size=256M",
        "--binlog-expire-logs-seconds=3600",
        // Otherwise the server keeps every log for replicas that do not exist.
        "--slave-connections-needed-for-purge=0");
  }

  /** Waits until the server accepts the account. Returns false if the process ends first. */
  private boolean awaitAnswer(ServerAddress address, ProcessHandle process, BooleanSupplier isAlive)
      throws InterruptedException {
    Waiting waiting = new Waiting("start");
    while (!address.answers()) {
      if (!isAlive.getAsBoolean()) {
        return false;
      }
      waiting.more(process);
    }
    return true;
  }

  private Optional<ProcessHandle> find() {
    return ProcessHandle.allProcesses().filter(this::isOurs).findFirst();
  }

  /**
   * Returns true if the process is our server. A dead process that was not reaped has no arguments,
   * and a process with a reused number has others.
   */
  private boolean isOurs(ProcessHandle process) {
    ProcessHandle.Info info = process.info();
    return info.user().isPresent()
        && info.user().equals(ProcessHandle.current().info().user())
        && info.command().filter(Binaries::isServer).isPresent()
        && info.arguments()
            .map(Arrays::asList)
            .filter(given -> given.contains(dataArgument) && given.contains(initArgument))
            .isPresent();
  }

  private String log() throws IOException {
    return Files.exists(home.log()) ? Files.readString(home.log(), StandardCharsets.UTF_8) : "";
  }

  private String reason() throws IOException {
    return log()
        .lines()
        .filter(line -> line.contains("[ERROR]"))
        .findFirst()
        .map(line -> "the first error in " + home.log() + " is: " + line)
        .orElse("see " + home.log() + ".");
  }

  /** Paces a loop that waits for the server. It reports a long wait, and gives up in the end. */
  private final class Waiting {
    private final String what;
    private final long begin = System.nanoTime();
    private boolean said;

    Waiting(String what) {
      this.what = what;
    }

    void more(ProcessHandle process) throws InterruptedException {
      Duration elapsed = Duration.ofNanos(System.nanoTime() - begin);
      if (elapsed.compareTo(PATIENCE) > 0) {
        throw new EmbeddedDatabaseException(
            "The embedded database (process "
                + process.pid()
                + ") did not "
                + what
                + " within "
                + PATIENCE.toMinutes()
                + " minutes; see "
                + home.log()
                + ", and kill the process if it hangs.");
      }
      if (!said && elapsed.compareTo(BEFORE_A_WORD) > 0) {
        said = true;
        notices.accept(
            "Waiting for the embedded database to " + what + "; its log is " + home.log() + " ...");
      }
      Thread.sleep(10);
    }
  }
}
