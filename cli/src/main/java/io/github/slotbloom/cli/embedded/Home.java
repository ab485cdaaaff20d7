package io.github.slotbloom.cli.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The directory that holds one embedded database and its files. */
record Home(Path directory) {

  private static final Pattern UNQUOTABLE = Pattern.compile("[\\s'\"`\\\\]");

  private static final int MOST_SOCKET_BYTES = 106;

  private static final String USER_NUMBER = "unix:uid";

  private static final Set<PosixFilePermission> OWNER_ONLY_DIRECTORY =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> OWNER_ONLY_FILE =
      PosixFilePermissions.fromString("rw-------");

  /** Returns the home in a directory. A missing directory is created for its owner alone. */
  static Home at(Path directory) {
    requireUsablePath(directory);
    try {
      createPrivate(directory);
      Set<PosixFilePermission> others = Files.getPosixFilePermissions(directory);
      if (others.contains(PosixFilePermission.OTHERS_WRITE)
          || others.contains(PosixFilePermission.GROUP_WRITE)) {
        throw new EmbeddedDatabaseException(
            "The home directory "
                + directory
                + " is writable by other users; run 'chmod 700 "
                + directory
                + "' or name another one with --home.");
      }
      requireOwn(directory);
      // The server is later recognized by this path, so it must not depend on the spelling.
      Home home = new Home(directory.toRealPath());
      requireShortEnough(home.socket(), directory);
      return home;
    } catch (IOException e) {
      throw new EmbeddedDatabaseException(
          "Cannot use the home directory "
              + directory
              + " ("
              + reason(e)
              + "); name a writable directory with --home or SLOTBLOOM_HOME.",
          e);
    }
  }

  /** Rejects a directory of another owner, who could put another server there. */
  private static void requireOwn(Path directory) throws IOException {
    Object owner = Files.getAttribute(directory, USER_NUMBER);
    if (!owner.equals(Files.getAttribute(Path.of("/proc/self"), USER_NUMBER))) {
      throw new EmbeddedDatabaseException(
          "The home directory "
              + directory
              + " belongs to another account ("
              + Files.getOwner(directory).getName()
              + "); name one of your own directories with --home or SLOTBLOOM_HOME.");
    }
  }

  /** Rejects a path that is too long for the name of a Unix domain socket. */
  private static void requireShortEnough(Path socket, Path directory) {
    int bytes = socket.toString().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MOST_SOCKET_BYTES) {
      throw new EmbeddedDatabaseException(
          "The path of the home directory is too long: the name of the socket "
              + socket
              + " has "
              + bytes
              + " bytes, and the system allows "
              + MOST_SOCKET_BYTES
              + ". Use a directory with a shorter path than "
              + directory
              + " with --home or SLOTBLOOM_HOME, or move it.");
    }
  }

  /**
   * Rejects a path that the server's tools cannot handle. The server's scripts do not quote paths,
   * and its clients read a backslash in an option file as an escape.
   *
   * @throws EmbeddedDatabaseException if the path holds such characters
   */
  static void requireUsablePath(Path directory) {
    if (UNQUOTABLE.matcher(directory.toAbsolutePath().toString()).find()) {
      throw new EmbeddedDatabaseException(
          "The embedded database cannot run in a directory whose path contains a space, a quotation"
              + " mark or a backslash: "
              + directory
              + ". Name other directories with --home and XDG_CACHE_HOME.");
    }
  }

  /** Returns the system's error text without the name of a Java class. */
  static String reason(IOException e) {
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (e instanceof NoSuchFileException) {
      return "it cannot be created there";
    }
    if (e instanceof FileAlreadyExistsException) {
      return "it is not a directory";
    }
    return e instanceof FileSystemException f && f.getReason() != null
        ? f.getReason()
        : String.valueOf(e.getMessage());
  }

  static void createPrivate(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      Path parent = directory.toAbsolutePath().getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      Files.createDirectories(
          directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY_DIRECTORY));
    }
  }

  static void makePrivate(Path directory) throws IOException {
    Files.setPosixFilePermissions(directory, OWNER_ONLY_DIRECTORY);
  }

  /** Writes a file that only its owner can read, from the first byte on. */
  static void writeSecret(Path file, List<String> lines) throws IOException {
    Files.deleteIfExists(file);
    Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_ONLY_FILE));
    Files.write(file, lines, StandardCharsets.UTF_8);
  }

  static void deleteRecursively(Path directory) throws IOException {
    if (Files.notExists(directory)) {
      return;
    }
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path path : (Iterable<Path>) tree.sorted(Comparator.reverseOrder())::iterator) {
        Files.delete(path);
      }
    }
  }

  /**
   * Fails if the file system has too little room.
   *
   * @param mebibytes the required space
   */
  void requireRoom(long mebibytes) throws IOException {
    long free = Files.getFileStore(directory).getUsableSpace() >> 20;
    if (free < mebibytes) {
      throw new EmbeddedDatabaseException(
          "The file system of the home directory "
              + directory
              + " has "
              + free
              + " MiB free, and the embedded database needs "
              + mebibytes
              + "; free some space, or name a directory elsewhere with --home or SLOTBLOOM_HOME.");
    }
  }

  Path data() {
    return directory.resolve("data");
  }

  Path socket() {
    return data().resolve("mysql.sock");
  }

  Path clientFile() {
    return directory.resolve("client.cnf");
  }

  Path initFile() {
    return directory.resolve("init.sql");
  }

  Path log() {
    return directory.resolve("server.log");
  }

  Path temporary() {
    return directory.resolve("tmp");
  }

  /**
   * Opens the file that a process locks while it joins or leaves, so that only one does so at a
   * time.
   */
  FileChannel gate() {
    return openLockFile("gate.lock");
  }

  /** Opens the file that every process locks while it uses the server. */
  FileChannel users() {
    return openLockFile("users.lock");
  }

  private FileChannel openLockFile(String name) {
    Path file = directory.resolve(name);
    try {
      return FileChannel.open(
          file,
          Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
          PosixFilePermissions.asFileAttribute(OWNER_ONLY_FILE));
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot open the lock file " + file + ": " + e, e);
    }
  }
}
