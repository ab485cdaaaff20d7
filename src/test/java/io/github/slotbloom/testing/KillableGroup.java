package io.github.slotbloom.testing;

import static org.awaitility.Awaitility.await;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.ContainerNetwork;
import com.mysql.cj.jdbc.MysqlDataSource;
import io.github.slotbloom.PrimaryDataSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.awaitility.core.ConditionTimeoutException;
import org.testcontainers.containers.Network;
import org.testcontainers.lifecycle.Startables;
import org.testcontainers.mysql.MySQLContainer;

/** Three MySQL servers in a replication group, with one primary or with several. */
public final class KillableGroup implements KillableServers {

  private static final int SIZE = 3;
  private static final int GROUP_PORT = 33061;
  private static final String SCHEMA = "slotbloom";
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  /** Whatever waits for a frozen server gives up after this many milliseconds. */
  private static final String TIMEOUTS = "&connectTimeout=2000&socketTimeout=3000";

  /** It takes longer to start. */
  private static final String PATIENT = "&connectTimeout=2000&socketTimeout=120000";

  private static final TestAccount ROOT =
      new TestAccount(KillableServer.USER, KillableServer.PASSWORD);

  /** Without a way out, so that clients come in by another one, which stays as it is. */
  private final Network network =
      Network.builder().createNetworkCmdModifier(command -> command.withInternal(true)).build();

  private final List<Member> members = new ArrayList<>();

  /** Those whose process a test ended. */
  private final Set<Member> ended = ConcurrentHashMap.newKeySet();

  /** One server. */
  private final class Member {
    private final String name;
    private final MySQLContainer container;
    private final FaultyNetwork clients;
    private final String uuid;

    Member(int number, MySQLContainer container) throws Exception {
      name = name(number);
      this.container = container;
      clients = new FaultyNetwork(KillableMySql.address(container));
      uuid = new Sql(dataSource("", PATIENT, ROOT)).text("SELECT @@GLOBAL.server_uuid");
      connect();
    }

    private DockerClient docker() {
      return container.getDockerClient();
    }

    void connect() {
      docker()
          .connectToNetworkCmd()
          .withNetworkId(network.getId())
          .withContainerId(container.getContainerId())
          .withContainerNetwork(new ContainerNetwork().withAliases(name))
          .exec();
    }

    void disconnect() {
      docker()
          .disconnectFromNetworkCmd()
          .withNetworkId(network.getId())
          .withContainerId(container.getContainerId())
          .exec();
    }

    DataSource dataSource(String schema, String timeouts, TestAccount account) {
      MysqlDataSource source = new MysqlDataSource();
      source.setUrl(clients.url(schema) + timeouts);
      source.setUser(account.user());
      source.setPassword(account.password());
      return source;
    }

    /** For lookups that a server answers at once, if at all. */
    Sql sql() {
      return new Sql(dataSource("", TIMEOUTS, ROOT));
    }

    void run(String... statements) throws SQLException {
      for (String statement : statements) {
        new Sql(dataSource("", PATIENT, ROOT)).run(statement);
      }
    }

    /** What a server has of its own keeps it out of the group. */
    void prepare() throws SQLException {
      new Sql(dataSource("", PATIENT, ROOT))
          .runScript(
              """
              RESET BINARY LOGS AND GTIDS;
              SET GLOBAL super_read_only = OFF;
              SET sql_log_bin = 0;
              CREATE USER 'recovery'@'%' IDENTIFIED BY 'recovery';
              GRANT REPLICATION SLAVE, CONNECTION_ADMIN, BACKUP_ADMIN, GROUP_REPLICATION_STREAM
                ON *.* TO 'recovery'@'%';
              CHANGE REPLICATION SOURCE TO SOURCE_USER = 'recovery', SOURCE_PASSWORD = 'recovery'
                FOR CHANNEL 'group_replication_recovery';
              """);
    }

    String log() {
      List<String> lines = container.getLogs().lines().toList();
      return lines.subList(Math.max(0, lines.size() - 50), lines.size()).stream()
          .map(line -> name + ": " + line + "\n")
          .collect(Collectors.joining());
    }

    boolean isOnline() throws SQLException {
      return state().startsWith("ONLINE");
    }

    String state() throws SQLException {
      return sql()
          .text(
              "SELECT CONCAT(MEMBER_STATE, ' ', MEMBER_ROLE)"
                  + " FROM performance_schema.replication_group_members"
                  + " WHERE MEMBER_ID = @@GLOBAL.server_uuid");
    }

    boolean seesAllOnline() throws SQLException {
      return sql()
              .number(
                  "SELECT COUNT(*) FROM performance_schema.replication_group_members"
                      + " WHERE MEMBER_STATE = 'ONLINE'")
          == SIZE;
    }

    /** Returns true if it takes another server for a member, in whatever state. */
    boolean knows(String uuid) throws SQLException {
      return sql()
              .number(
                  "SELECT COUNT(*) FROM performance_schema.replication_group_members"
                      + " WHERE MEMBER_ID = ?",
                  uuid)
          == 1;
    }

    boolean seesOnline(String uuid) throws SQLException {
      return sql()
              .number(
                  "SELECT COUNT(*) FROM performance_schema.replication_group_members"
                      + " WHERE MEMBER_STATE = 'ONLINE' AND MEMBER_ID = ?",
                  uuid)
          == 1;
    }

    /** Returns true if it believes so itself, and sees a majority. */
    boolean isPrimary() throws SQLException {
      return sql()
          .text(
              "SELECT SUM(MEMBER_STATE = 'ONLINE') * 2 > COUNT(*) AND SUM(MEMBER_STATE = 'ONLINE'"
                  + " AND MEMBER_ROLE = 'PRIMARY' AND MEMBER_ID = @@GLOBAL.server_uuid) = 1"
                  + " FROM performance_schema.replication_group_members")
          .equals("1");
    }
  }

  private KillableGroup() throws IOException {}

  /** Starts a group. Server 0 is its primary. */
  public static KillableGroup start() throws Exception {
    return start(true);
  }

  /** Starts a group of which each server is a primary. */
  public static KillableGroup startWithSeveralPrimaries() throws Exception {
    return start(false);
  }

  private static KillableGroup start(boolean onePrimary) throws Exception {
    KillableGroup group = new KillableGroup();
    try {
      List<MySQLContainer> containers =
          IntStream.range(0, SIZE).mapToObj(number -> container(number, onePrimary)).toList();
      Startables.deepStart(containers).join();
      for (int number = 0; number < SIZE; number++) {
        group.members.add(group.new Member(number, containers.get(number)));
      }
      for (Member member : group.members) {
        member.prepare();
      }
      group
          .members
          .get(0)
          .run(
              "SET GLOBAL group_replication_bootstrap_group = ON",
              "START GROUP_REPLICATION",
              "SET GLOBAL group_replication_bootstrap_group = OFF",
              "CREATE DATABASE " + SCHEMA);
      for (int number = 1; number < SIZE; number++) {
        group.join(number);
      }
      return group;
    } catch (Exception | Error e) {
      group.close();
      throw e;
    }
  }

  private static MySQLContainer container(int number, boolean onePrimary) {
    List<String> command = new ArrayList<>(List.of(TestDatabases.DURABLE));
    command.addAll(
        List.of(
            "--server-id=" + (number + 1),
            "--gtid-mode=ON",
            "--enforce-gtid-consistency=ON",
            "--report-host=" + name(number),
            "--plugin-load-add=group_replication.so",
            "--group-replication-group-name=5107b100-0000-4000-8000-000000000001",
            "--group-replication-start-on-boot=OFF",
            "--group-replication-local-address=" + name(number) + ":" + GROUP_PORT,
            "--group-replication-group-seeds=" + seeds(),
            "--group-replication-ip-allowlist=0.0.0.0/0",
            "--group-replication-recovery-get-public-key=ON",
            // Otherwise, a failover takes 20 seconds and more.
            "--group-replication-member-expel-timeout=0",
            "--group-replication-single-primary-mode=" + (onePrimary ? "ON" : "OFF"),
            "--group-replication-enforce-update-everywhere-checks=" + (onePrimary ? "OFF" : "ON")));
    return TestDatabases.mysql()
        .withUsername(KillableServer.USER)
        .withPassword(KillableServer.PASSWORD)
        .withCommand(command.toArray(String[]::new));
  }

  private static String name(int number) {
    return "member" + number;
  }

  private static String seeds() {
    return IntStream.range(0, SIZE)
        .mapToObj(number -> name(number) + ":" + GROUP_PORT)
        .collect(Collectors.joining(","));
  }

  @Override
  public List<DataSource> dataSources() {
    return dataSources(ROOT);
  }

  /** Returns a data source of each member, in the schema of the group. */
  public List<DataSource> dataSources(TestAccount account) {
    return members.stream().map(member -> member.dataSource(SCHEMA, TIMEOUTS, account)).toList();
  }

  /** Returns the JDBC URL that names all members. */
  public String url() {
    return FaultyNetwork.url(members.stream().map(member -> member.clients).toList(), SCHEMA);
  }

  /** Returns the account that may do everything on each member. */
  public TestAccount administrator() {
    return ROOT;
  }

  /** Returns a data source of a member whose sessions wait for what the group committed before. */
  public DataSource waitingDataSource(int number) {
    String waiting = "&sessionVariables=group_replication_consistency='BEFORE'";
    return members.get(number).dataSource(SCHEMA, TIMEOUTS + waiting, ROOT);
  }

  /** Returns a data source that finds the primary, as root. */
  public PrimaryDataSource primaryDataSource() {
    return new PrimaryDataSource(dataSources());
  }

  /** Returns where clients reach a member. A member may get another address when it starts. */
  InetSocketAddress address(int number) {
    return KillableMySql.address(members.get(number).container);
  }

  @Override
  public FaultyNetwork clients(int number) {
    return members.get(number).clients;
  }

  @Override
  public void awaitWithout(int number) {
    String uuid = members.get(number).uuid;
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(100))
        .until(
            () -> {
              OptionalInt other = findPrimary(primary -> primary != number);
              return other.isPresent() && answers(() -> !members.get(other.getAsInt()).knows(uuid));
            });
  }

  /** Waits for a primary with a majority, and returns its number. */
  public int primary() {
    return awaitPrimary(number -> true);
  }

  /** Waits until another member than this one is the primary, and returns its number. */
  public int primaryBut(int number) {
    return awaitPrimary(other -> other != number);
  }

  private int awaitPrimary(IntPredicate wanted) {
    return await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(100))
        .until(() -> findPrimary(wanted), OptionalInt::isPresent)
        .getAsInt();
  }

  private OptionalInt findPrimary(IntPredicate wanted) {
    return IntStream.range(0, SIZE)
        .filter(wanted)
        .filter(number -> answers(members.get(number)::isPrimary))
        .findFirst();
  }

  @Override
  public boolean isWhole() {
    OptionalInt primary = findPrimary(number -> true);
    return primary.isPresent() && answers(members.get(primary.getAsInt())::seesAllOnline);
  }

  /** A member that is down, frozen or offline has no answer. */
  private static boolean answers(Callable<Boolean> lookup) {
    try {
      return lookup.call();
    } catch (SQLException e) {
      return false;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void kill(int number) {
    awaitAll();
    end(number);
  }

  /** Ends a second server at once, so that the last one has no majority. */
  public void killSecond(int number) {
    end(number);
  }

  private void end(int number) {
    Member member = members.get(number);
    member.docker().killContainerCmd(member.container.getContainerId()).exec();
    ended.add(member);
    member.clients.cutAll();
  }

  /** Ends a member in order, when all take part. */
  public void stop(int number) {
    awaitAll();
    Member member = members.get(number);
    ended.add(member);
    member
        .docker()
        .stopContainerCmd(member.container.getContainerId())
        .withTimeout((int) PATIENCE.toSeconds())
        .exec();
    member.clients.cutAll();
  }

  @Override
  public void freeze(int number) {
    awaitAll();
    Member member = members.get(number);
    member.docker().pauseContainerCmd(member.container.getContainerId()).exec();
  }

  @Override
  public void thaw(int number) {
    Member member = members.get(number);
    member.docker().unpauseContainerCmd(member.container.getContainerId()).exec();
  }

  @Override
  public void cutOff(int number) {
    awaitAll();
    members.get(number).disconnect();
  }

  @Override
  public void reconnect(int number) {
    members.get(number).connect();
  }

  /** Starts a member whose process runs no more, without having it join the group. */
  public void startOutsideOfTheGroup(int number) {
    Member member = members.get(number);
    member.docker().startContainerCmd(member.container.getContainerId()).exec();
    ended.remove(member);
    member.clients.server(address(number));
    await().atMost(PATIENCE).until(() -> answers(() -> member.sql().number("SELECT 1") == 1));
  }

  @Override
  public void restart(int number) {
    startOutsideOfTheGroup(number);
    join(number);
  }

  /** A member that was frozen believes for a while that it is still ONLINE. The others know. */
  @Override
  public void join(int number) {
    Member member = members.get(number);
    try {
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(500))
          .until(
              () ->
                  answers(
                      () -> {
                        if (!member.isOnline() && !member.state().startsWith("RECOVERING")) {
                          member.run("STOP GROUP_REPLICATION", "START GROUP_REPLICATION");
                        }
                        OptionalInt other = findPrimary(primary -> primary != number);
                        return member.isOnline()
                            && other.isPresent()
                            && members.get(other.getAsInt()).seesOnline(member.uuid);
                      }));
    } catch (ConditionTimeoutException e) {
      throw new IllegalStateException(
          "Server %s does not join. What each server logged last:%n%s"
              .formatted(number, members.stream().map(Member::log).collect(Collectors.joining())),
          e);
    }
  }

  /** Returns what the servers logged last whose process ended, though no test ended it. */
  public List<String> crashes() {
    return members.stream()
        .filter(member -> !ended.contains(member) && !member.container.isRunning())
        .map(Member::log)
        .toList();
  }

  /** Has those join that the others expelled meanwhile. */
  private void awaitAll() {
    int primary = primary();
    IntStream.range(0, SIZE).filter(number -> number != primary).forEach(this::join);
    await().atMost(PATIENCE).until(this::isWhole);
  }

  @Override
  public void close() throws IOException {
    for (Member member : members) {
      member.clients.close();
      member.container.stop();
    }
    network.close();
  }
}
