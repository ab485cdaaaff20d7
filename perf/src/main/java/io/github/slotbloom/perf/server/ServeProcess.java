package io.github.slotbloom.perf.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code slotbloom serve} on a database, as a process of its own. */
public final class ServeProcess implements AutoCloseable {

  private static final Pattern READY = Pattern.compile("Ready for Redis clients on (.*):(\\d+)\\.");

  private final Process process;
  private final RedisAddress address;

  private ServeProcess(Process process, RedisAddress address) {
    this.process = process;
    this.address = address;
  }

  /**
   * Starts a server, and waits until it is ready.
   *
   * @param program the launcher
   * @param log where it tells what is wrong
   */
  public static ServeProcess start(Path program, DatabaseAccount account, Path log)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(program.toString(), "serve", "--port", "0").redirectError(log.toFile());
    builder
        .environment()
        .putAll(
            Map.of(
                "SLOTBLOOM_URL", account.url(),
                "SLOTBLOOM_USER", account.user(),
                "SLOTBLOOM_PASSWORD", account.password()));
    Process process = builder.start();
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = lines.readLine();
    Matcher ready = READY.matcher(String.valueOf(line));
    if (!ready.matches()) {
      process.destroy();
      throw new IllegalStateException("slotbloom serve is not ready: " + line + ", see " + log);
    }
    int port = Integer.parseInt(ready.group(2));
    return new ServeProcess(process, new RedisAddress(ready.group(1), port));
  }

  public RedisAddress address() {
    return address;
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    process.waitFor();
  }
}
