package io.github.slotbloom.resp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.resp.command.CommandSettings;
import io.github.slotbloom.resp.command.Commands;
import io.github.slotbloom.resp.command.Database;
import io.github.slotbloom.resp.command.Sessions;
import io.github.slotbloom.resp.command.Statistics;
import io.github.slotbloom.resp.filter.Lanes;
import io.github.slotbloom.resp.protocol.RequestLimits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/**
 * One connection without a network and without a database: what it answers, when it is read, and
 * that it leaves nothing in memory.
 */
class ConnectionTest {

  private static final int MIB = 1 << 20;

  /** What a network gives at once. */
  private static final int PIECE = 64 << 10;

  /** A client, and what handles it. */
  private static final class Client implements AutoCloseable {
    private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(false);
    private final EmbeddedChannel channel;

    Client() {
      ThreadPoolExecutor busy =
          new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
      busy.shutdown();
      Database loading = new Database(new CompletableFuture<>(), busy, busy);
      Sessions sessions = new Sessions(null, 10);
      Statistics statistics = new Statistics();
      Commands commands =
          new Commands(
              new CommandSettings(256, false, MIB),
              loading,
              new Lanes(loading::get, FilterOptions.defaults(), busy, () -> 0),
              sessions,
              statistics,
              () -> 6379);
      channel =
          new EmbeddedChannel(
              new Acceptor(
                  commands, sessions, new RequestLimits(MIB, MIB, 64 * MIB), null, Duration.ZERO));
      channel.config().setAllocator(memory);
    }

    ByteBuf bytes(String text) {
      return memory.buffer().writeBytes(text.getBytes(ISO_8859_1));
    }

    Client send(String text) {
      if (channel.isOpen()) {
        channel.writeInbound(bytes(text));
      }
      return this;
    }

    /** Sends as a socket that is not read after the channel wants no more. */
    int sendWhileItIsRead(String text) {
      int times = 0;
      while (channel.config().isAutoRead()) {
        channel.pipeline().fireChannelRead(bytes(text));
        times++;
        assertThat(times).isLessThan(1000);
      }
      channel.pipeline().fireChannelReadComplete();
      return times;
    }

    void takesAnswers(boolean whether) {
      channel.unsafe().outboundBuffer().setUserDefinedWritability(1, whether);
      channel.runPendingTasks();
    }

    String answers() {
      StringBuilder all = new StringBuilder();
      for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
        all.append(next.toString(ISO_8859_1));
        next.release();
      }
      return all.toString();
    }

    @Override
    public void close() {
      channel.finishAndReleaseAll();
      assertThat(memory.metric().usedHeapMemory()).isZero();
      assertThat(memory.metric().usedDirectMemory()).isZero();
    }
  }

  @Provide
  Arbitrary<List<String>> requests() {
    return Arbitraries.of(
            RawClient.request("ECHO", "a"),
            RawClient.request("ECHO", ""),
            RawClient.request("ECHO", "\r\n*1\r\n$4\r\nPING\r\n"),
            RawClient.request("PING"),
            RawClient.request("BF.ADD", "f", "a"),
            RawClient.request("BF.MEXISTS", "f", "a", "b"),
            RawClient.request("NOSUCH", "a"),
            RawClient.request("HELLO", "3"),
            RawClient.request("HELLO", "2", "SETNAME", "me"),
            RawClient.request("SELECT", "1"),
            RawClient.request("MULTI"),
            RawClient.request("EXEC"),
            RawClient.request("RESET"),
            RawClient.request("QUIT"),
            "CLIENT GETNAME\r\n",
            "ECHO \"two \\x41 words\"\n",
            "\r\n",
            "*0\r\n",
            "*-1\r\n",
            // What follows ends the connection.
            "*1\r\n$-1\r\n",
            "*2\r\n$4\r\nECHO\r\n$536870912\r\n",
            "*1048577\r\n",
            "*2\r\n*1\r\n",
            "ECHO 'a\r\n")
        .list()
        .ofMinSize(1)
        .ofMaxSize(5);
  }

  @Property(tries = 50, seed = "1")
  void requestsAreAnsweredAlikeCutAtEachByte(@ForAll("requests") List<String> requests) {
    String all = String.join("", requests);
    String expected;
    try (Client client = new Client()) {
      expected = client.send(all).answers();
    }
    for (int cut = 1; cut < all.length(); cut++) {
      try (Client client = new Client()) {
        client.send(all.substring(0, cut)).send(all.substring(cut));
        assertThat(client.answers()).isEqualTo(expected);
      }
    }
    try (Client client = new Client()) {
      all.chars().forEach(each -> client.send(Character.toString(each)));
      assertThat(client.answers()).isEqualTo(expected);
    }
  }

  @Test
  void anyBytesAreAnsweredOrEndTheConnection() throws IOException {
    Random random = new Random(1);
    for (int stranger = 0; stranger < 5000; stranger++) {
      try (Client client = new Client()) {
        String sent = HostileBytes.next(random);
        ByteArrayInputStream answers =
            new ByteArrayInputStream(client.send(sent).answers().getBytes(ISO_8859_1));
        while (answers.available() > 0) {
          RawClient.answer(answers);
        }
      }
    }
  }

  @Test
  void whatWasAnnouncedTakesMemoryOnceItIsThere() {
    try (Client client = new Client()) {
      client.send("*1048576\r\n$1048576\r\nabc");
      assertThat(client.memory.metric().usedHeapMemory()).isLessThan(1024);
      assertThat(client.answers()).isEmpty();
      assertThat(client.channel.isOpen()).isTrue();
    }
  }

  @Test
  void aClientThatDoesNotTakeItsAnswersIsNotReadAnymore() {
    String request = RawClient.request("ECHO", "x".repeat(1000));
    int inPiece = PIECE / request.length();
    try (Client client = new Client()) {
      client.takesAnswers(false);
      int pieces = client.sendWhileItIsRead(request.repeat(inPiece));
      assertThat(pieces * PIECE).isLessThan(5 * MIB);
      assertThat(client.answers()).isEmpty();

      client.takesAnswers(true);
      assertThat(client.answers()).hasSize(pieces * inPiece * 1009);
      assertThat(client.channel.config().isAutoRead()).isTrue();
    }
  }

  @Test
  void manySmallRequestsAreNotReadBeforeTheFirstAreCarriedOut() {
    String request = "QUIET\n";
    int inPiece = PIECE / request.length();
    try (Client client = new Client()) {
      assertThat(client.sendWhileItIsRead(request.repeat(inPiece))).isEqualTo(1);
      assertThat(client.answers()).hasLineCount(inPiece);
      assertThat(client.channel.config().isAutoRead()).isTrue();
    }
  }
}
