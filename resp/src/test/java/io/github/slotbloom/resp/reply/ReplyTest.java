package io.github.slotbloom.resp.reply;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes of answers in both versions of the protocol. */
class ReplyTest {

  private static String written(int version, Reply reply) {
    ByteBuf out = Unpooled.buffer();
    reply.write(version, out);
    return out.toString(UTF_8);
  }

  private static void assertWritten(Reply reply, String resp2, String resp3) {
    assertThat(written(2, reply)).isEqualTo(resp2);
    assertThat(written(3, reply)).isEqualTo(resp3);
  }

  private static void assertWritten(Reply reply, String both) {
    assertWritten(reply, both, both);
  }

  @Test
  void whatIsTheSameInBothVersions() {
    assertWritten(Reply.OK, "+OK\r\n");
    assertWritten(Reply.number(-2), ":-2\r\n");
    assertWritten(Reply.bulk("é"), "$2\r\né\r\n");
    assertWritten(Reply.bulk(""), "$0\r\n\r\n");
    assertWritten(Reply.array(List.of()), "*0\r\n");
    assertWritten(Reply.error("ERR no"), "-ERR no\r\n");
  }

  @Test
  void whatVersionThreeHasASignFor() {
    assertWritten(Reply.truth(true), ":1\r\n", "#t\r\n");
    assertWritten(Reply.truth(false), ":0\r\n", "#f\r\n");
    assertWritten(Reply.NOTHING, "$-1\r\n", "_\r\n");
    assertWritten(new Reply.Text("a\n"), "$2\r\na\n\r\n", "=6\r\ntxt:a\n\r\n");
    Reply name = new Reply.Status("Capacity");
    Reply value = Reply.number(1);
    assertWritten(
        new Reply.Pairs(List.of(name, value)),
        "*2\r\n+Capacity\r\n:1\r\n",
        "%1\r\n+Capacity\r\n:1\r\n");
    assertWritten(new Reply.Field(name, value), "*1\r\n:1\r\n", "%1\r\n+Capacity\r\n:1\r\n");
    assertWritten(
        Reply.array(List.of(Reply.truth(true), Reply.error("ERR full"))),
        "*2\r\n:1\r\n-ERR full\r\n",
        "*2\r\n#t\r\n-ERR full\r\n");
  }

  @Test
  void anErrorIsOneLineWhateverItsTextHolds() {
    assertWritten(Reply.error("ERR a\r\nb\n+OK"), "-ERR a b +OK\r\n");
  }
}
