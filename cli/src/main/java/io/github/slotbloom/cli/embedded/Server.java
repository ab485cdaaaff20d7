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
 * The server process of one home. It is nobody's child for long: whoever starts it puts it in a
 * session of its own, so that Ctrl-C, Ctrl-Z or a closed terminal do not reach it while other
 * processes use it.
 *
 * <p>Whether it runs is asked of the process table and of its socket, never of a file that a crash
 * could have left behind. Only a process of the same account that runs the program of a server, as
 * this class starts it on this home, counts: any account can give a process any arguments.
 */
final class Server {

  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final Duration BEFORE_A_WORD = Duration.ofSeconds(3);

  /** A new database takes 144 MiB, and logs of 96 MiB are allowed for. */
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
   * Finds the running server, or starts one on the data of the last. Call it with the gate held.
   */
  ServerAddress attachOrStart() throws IOException, InterruptedException {
    Optional<ServerAddress> known = ServerAddress.read(home.clientFile(), home.socket());
    if (known.isPresent() && known.get().answers()) {
      return known.get();
    }
    Optional<ProcessHandle> running = find();
    if (running.isPresent()) {
      // Its starter was killed before it was up, or it is recovering, or on its way out.
      ProcessHandle process = running.get();
      if (known.isPresent() && awaitAnswer(known.get(), process, () -> isOurs(process))) {
        return known.get();
      }
      stop();
    }
    return start();
  }

  /** Ends the running server cleanly, and waits for its end. Call it with the gate held. */
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
      notices.accept("Making a database in " + home.data() + " ...");
      binaries.install(home);
    }
    Home.createPrivate(home.temporary());
    ServerAddress address = ServerAddress.of(home.socket());
    // Before the process exists, so that there is no moment in which nobody could find the way in.
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
              + "); it needs the program setsid of util-linux.",
          e);
    }
  }

  /** The client, told where the server is and who we are by a file, since all can see arguments. */
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
        // Root must say that it means it; for others the server ignores this.
        "--user=" + System.getProperty("user.name"),
        initArgument,
        // A port could be taken by another account's server, which would be told the keys.
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
        // With these, and only with all of them, what one process reads of another's is durable
        // already.
        "--innodb-flush-log-at-trx-commit=1",
        "--log-bin=binlog",
        "--sync-binlog=1",
        "--server-id=1",
        "--binlog-format=ROW",
        "--binlog-row-image=MINIMAL",
        "--max-binlog-size=64M",
        "--max-binlog-total-size=256M",
        "--binlog-expire-logs-seconds=3600",
        // The server keeps every log otherwise, for replicas that do not exist.
        "--slave-connections-needed-for-purge=0");
  }

  /**
   * Waits until the server lets us in, and tells whether it does; not, when the process has ended.
   */
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
   * A dead process that nobody has reaped yet has no arguments any more, and a reused number has
   * others.
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
        .orElse("look into " + home.log() + ".");
  }

  /**
   * Paces a loop that waits for the server, says so when it takes long, and gives up in the end.
   */
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
                + " minutes; look into "
                + home.log()
                + ", and end the process if it hangs.");
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
