package io.github.slotbloom.reliability;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.testing.FaultyNetwork;
import io.github.slotbloom.testing.JavaProcess;
import io.github.slotbloom.testing.KillableServer;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestDatabase;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * A server that is killed, processes that are killed, and a network of the victims' own, where
 * statements of theirs are caught and nobody else's. Everybody else comes through the server's
 * network.
 */
final class CrashSite implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final KillableServer server;
  private final TestSchema schema;
  private final SlotBloom others;
  private final FaultyNetwork network;
  private final Path log;
  private JavaProcess next;
  private boolean nextIsReady;

  CrashSite(TestDatabase like) throws Exception {
    server = KillableServer.like(like);
    schema = server.database().createSchema();
    others = SlotBloom.on(schema.pool(pool -> pool.setMaximumPoolSize(4)));
    others.migrate();
    network = new FaultyNetwork(server.database().address());
    log = Files.createTempFile("slotbloom-crash", ".log");
    next = start();
  }

  TestSchema schema() {
    return schema;
  }

  DataSource tables() {
    return schema.dataSource();
  }

  Sql sql() {
    return new Sql(tables());
  }

  /** Somebody who outlives every crash. */
  SlotBloom others() {
    return others;
  }

  private JavaProcess start() throws Exception {
    return FilterProcess.start(network.url(schema.name()), schema.owner(), log);
  }

  /** Has a command carried out up to a certain statement, and kills there. */
  Optional<String> crash(Kill kill, Catch where, String command) throws Exception {
    return crash(kill, List.of(), where, List.of(command), () -> {});
  }

  /**
   * Has commands carried out up to a certain statement, and kills there.
   *
   * @param prepare commands that come before, and that nothing is caught of
   * @param whileCaught runs while the statement is held up; until then the last command must not be
   *     answered
   * @return what the last command is answered, if its process lives through it
   */
  Optional<String> crash(
      Kill kill, List<String> prepare, Catch where, List<String> commands, Runnable whileCaught)
      throws Exception {
    return kill == Kill.PROCESS
        ? killProcess(prepare, where, commands, whileCaught)
        : Optional.of(killServer(prepare, where, commands, whileCaught));
  }

  private Optional<String> killProcess(
      List<String> prepare, Catch where, List<String> commands, Runnable whileCaught)
      throws Exception {
    awaitNextReady();
    try (JavaProcess victim = next) {
      for (String command : prepare) {
        FilterProcess.expect(victim, command, "ok");
      }
      Trap trap = where.in(network);
      commands.forEach(victim::tell);
      List<String> said = new ArrayList<>();
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(5))
          .until(
              () -> {
                said.addAll(victim.heard());
                return trap.hasCaught() || said.size() == commands.size();
              });
      requireCaught(trap, where, said);
      whileCaught.run();
      said.addAll(victim.heard());
      requireUnanswered(said.size() == commands.size(), where, said);
      victim.kill();
      // So its kernel would have done.
      trap.cut();
    } finally {
      // Gets ready while the test looks at what this one left.
      next = start();
      nextIsReady = false;
    }
    return Optional.empty();
  }

  /** It can outlive the server only once it has connected. */
  private void awaitNextReady() {
    if (!nextIsReady) {
      FilterProcess.awaitReady(next);
      nextIsReady = true;
    }
  }

  private String killServer(
      List<String> prepare, Catch where, List<String> commands, Runnable whileCaught)
      throws Exception {
    try (HikariDataSource pool = schema.pool(network, settings -> settings.setMaximumPoolSize(4));
        FilterCommands filter = new FilterCommands(pool)) {
      answerAll(filter, prepare);
      Trap trap = where.in(network);
      CompletableFuture<String> answer =
          CompletableFuture.supplyAsync(() -> answerAll(filter, commands));
      CompletableFuture.anyOf(trap.caught(), answer).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      requireCaught(trap, where, answer.isDone() ? answer.join() : "nothing");
      whileCaught.run();
      requireUnanswered(answer.isDone(), where, answer.getNow("nothing"));
      killServer(trap);
      return answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  /** Returns the last answer; the others must be "ok". */
  private static String answerAll(FilterCommands filter, List<String> commands) {
    String answer = "ok";
    for (String command : commands) {
      if (!answer.equals("ok")) {
        throw new AssertionError("\"" + answer + "\" before " + command);
      }
      answer = filter.answer(command);
    }
    return answer;
  }

  private static void requireCaught(Trap trap, Catch where, Object said) {
    if (!trap.hasCaught()) {
      throw new AssertionError("Nothing was caught " + where + ", but it said " + said);
    }
  }

  private static void requireUnanswered(boolean answered, Catch where, Object said) {
    if (answered) {
      throw new AssertionError("Still caught " + where + ", but it said " + said);
    }
  }

  /** Kills the server while it is at work on what was caught, and starts it again. */
  void killServer(Trap trap) throws Exception {
    awaitNextReady();
    server.kill();
    trap.cut();
    server.start();
  }

  /** What was caught by a test that failed goes on. */
  void heal() {
    network.heal();
  }

  @Override
  public void close() throws IOException, SQLException {
    others.close();
    next.close();
    network.close();
    schema.close();
    server.close();
    Files.delete(log);
  }
}
