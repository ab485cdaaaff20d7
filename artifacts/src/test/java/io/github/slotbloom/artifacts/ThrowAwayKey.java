package io.github.slotbloom.artifacts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A key of GnuPG in a home of its own, which ends with this JVM. */
final class ThrowAwayKey {

  private final Path home;

  private ThrowAwayKey(Path home) {
    this.home = home;
  }

  /** Returns empty where this machine has no GnuPG. */
  static Optional<ThrowAwayKey> make() throws IOException, InterruptedException {
    // The agent's socket is in it, so its path must be short.
    ThrowAwayKey key = new ThrowAwayKey(Files.createTempDirectory("gpg"));
    try {
      key.gpg("--version");
    } catch (IOException e) {
      Files.delete(key.home);
      return Optional.empty();
    }
    Runtime.getRuntime().addShutdownHook(new Thread(key::throwAway));
    key.gpg("--passphrase", "", "--quick-generate-key", "nobody@example.org");
    return Optional.of(key);
  }

  String home() {
    return home.toString();
  }

  /** Fails if the file was not signed with this key. */
  void verify(Path file) throws IOException, InterruptedException {
    gpg("--verify", file + ".asc", file.toString());
  }

  private void gpg(String... arguments) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of("gpg", "--batch", "--quiet"));
    words.addAll(List.of(arguments));
    new Command(home).with("GNUPGHOME", home()).run(words);
  }

  private void throwAway() {
    try {
      new Command(home).with("GNUPGHOME", home()).run(List.of("gpgconf", "--kill", "gpg-agent"));
      Publication.delete(home);
    } catch (IOException | InterruptedException e) {
      System.err.println("The key in " + home + " stays: " + e);
    }
  }
}
