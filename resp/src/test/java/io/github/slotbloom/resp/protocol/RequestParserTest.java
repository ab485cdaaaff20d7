package io.github.slotbloom.resp.protocol;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests come out of bytes whole, however these arrive, and what is no request is told. */
class RequestParserTest {

  private static final RequestLimits LIMITS = new RequestLimits(100, 1000, 10_000);

  private final RequestParser parser = new RequestParser(LIMITS);

  private List<Request> parse(byte[] bytes) {
    return parseAll(parser, Unpooled.wrappedBuffer(bytes));
  }

  private List<Request> parse(String text) {
    return parse(text.getBytes(ISO_8859_1));
  }

  private static List<Request> parseAll(RequestParser parser, ByteBuf bytes) {
    List<Request> found = new ArrayList<>();
    for (Request next = parser.next(bytes); next != null; next = parser.next(bytes)) {
      found.add(next);
    }
    return found;
  }

  /** Feeds bytes as the decoder does: what was not taken comes again, with more behind it. */
  private static List<Request> parsePieces(byte[] bytes, List<Integer> cuts) {
    RequestParser parser = new RequestParser(LIMITS);
    ByteBuf arrived = Unpooled.buffer();
    List<Request> found = new ArrayList<>();
    int from = 0;
    for (int cut : cuts) {
      arrived.writeBytes(bytes, from, cut - from);
      found.addAll(parseAll(parser, arrived));
      from = cut;
    }
    arrived.writeBytes(bytes, from, bytes.length - from);
    found.addAll(parseAll(parser, arrived));
    assertThat(arrived.isReadable()).isFalse();
    return found;
  }

  private static List<List<String>> texts(List<Request> requests) {
    return requests.stream()
        .map(request -> request.words().stream().map(word -> new String(word, ISO_8859_1)).toList())
        .toList();
  }

  private static byte[] written(List<List<byte[]>> requests) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (List<byte[]> request : requests) {
      out.writeBytes(("*" + request.size() + "\r\n").getBytes(UTF_8));
      for (byte[] word : request) {
        out.writeBytes(("$" + word.length + "\r\n").getBytes(UTF_8));
        out.writeBytes(word);
        out.writeBytes("\r\n".getBytes(UTF_8));
      }
    }
    return out.toByteArray();
  }

  @Provide
  Arbitrary<List<List<byte[]>>> requests() {
    return Arbitraries.bytes()
        .array(byte[].class)
        .ofMaxSize(12)
        .list()
        .ofMinSize(1)
        .ofMaxSize(4)
        .list()
        .ofMinSize(1)
        .ofMaxSize(3);
  }

  @Property(tries = 200)
  void requestsAreTheSameCutAtEachByte(@ForAll("requests") List<List<byte[]>> requests) {
    byte[] bytes = written(requests);
    List<List<String>> expected =
        requests.stream()
            .map(request -> request.stream().map(word -> new String(word, ISO_8859_1)).toList())
            .toList();
    for (int cut = 0; cut <= bytes.length; cut++) {
      assertThat(texts(parsePieces(bytes, List.of(cut)))).isEqualTo(expected);
    }
    List<Integer> everywhere = new ArrayList<>();
    for (int cut = 1; cut < bytes.length; cut++) {
      everywhere.add(cut);
    }
    assertThat(texts(parsePieces(bytes, everywhere))).isEqualTo(expected);
  }

  @Property(tries = 2000)
  void anyBytesAreRequestsOrAnErrorAndNeverMuch(@ForAll @Size(max = 200) byte[] bytes) {
    RequestParser any = new RequestParser(LIMITS);
    ByteBuf input = Unpooled.wrappedBuffer(bytes);
    try {
      for (Request request : parseAll(any, input)) {
        assertThat(request.size()).isBetween(1, LIMITS.words());
      }
    } catch (ProtocolException e) {
      assertThat(e).hasMessageStartingWith("Protocol error: ");
    }
  }

  @Property(tries = 1000)
  void marksAndNumbersInAnyOrderAreRequestsOrAnError(
      @ForAll("looksLikeRequests") String bytes, @ForAll @Size(3) List<Byte> noise) {
    try {
      parseAll(new RequestParser(LIMITS), Unpooled.copiedBuffer(bytes + noise, ISO_8859_1));
    } catch (ProtocolException e) {
      assertThat(e.getMessage()).doesNotContain("\r", "\n");
    }
  }

  @Provide
  Arbitrary<String> looksLikeRequests() {
    return Arbitraries.of(
            "*", "$", "1", "-1", "3\r\n", "\r\n", "BF.ADD", "\"", "'", "\\x", "0", " ", "99999999")
        .list()
        .ofMaxSize(20)
        .map(parts -> String.join("", parts));
  }

  @Test
  void emptyRequestsAreSkipped() {
    assertThat(texts(parse("\r\n*0\r\n\n*-1\r\n   \r\n*1\r\n$4\r\nPING\r\n")))
        .containsExactly(List.of("PING"));
  }

  @Test
  void aWordMayBeEmptyOrHoldAnything() {
    assertThat(texts(parse("*3\r\n$0\r\n\r\n$2\r\n\r\n\r\n$4\r\n*1\r\n\r\n")))
        .containsExactly(List.of("", "\r\n", "*1\r\n"));
  }

  @Test
  void aLineIsSplitAsRedisDoes() {
    assertThat(
            texts(
                parse(
                    """
                      BF.ADD   f\ta\s\s
                    ECHO "two words"
                    ECHO "\\x41\\n\\"\\q\\x4"
                    ECHO 'it\\'s \\n'
                    ECHO a"b c"
                    """)))
        .containsExactly(
            List.of("BF.ADD", "f", "a"),
            List.of("ECHO", "two words"),
            List.of("ECHO", "A\n\"qx4"),
            List.of("ECHO", "it's \\n"),
            List.of("ECHO", "ab c"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"ECHO \"a", "ECHO 'a", "ECHO \"a\"b", "ECHO 'a'b", "\"", "ECHO \"a\\"})
  void aQuoteThatIsNotClosedIsAnError(String line) {
    assertThatThrownBy(() -> parse(line + "\r\n"))
        .hasMessage("Protocol error: unbalanced quotes in request");
  }

  @ParameterizedTest
  @CsvSource({
    "*1048577, invalid multibulk length",
    "*101, invalid multibulk length",
    "*x, invalid multibulk length",
    "*, invalid multibulk length",
    "*9999999999999999999999, invalid multibulk length",
    "*99999999999999999999999999999999999999, too big mbulk count string",
    "*1:$536870912, invalid bulk length",
    "*1:$1001, invalid bulk length",
    "*1:$-1, invalid bulk length",
    "*1:$, invalid bulk length",
    "*1:$x, invalid bulk length",
    "*1:*1, 'expected ''$'', got ''*'''",
    "*1::1, 'expected ''$'', got '':'''",
  })
  void lengthsThatCannotBeAreErrorsBeforeAnythingIsKept(String request, String error) {
    assertThatThrownBy(() -> parse(request.replaceFirst(":", "\r\n") + "\r\n"))
        .isInstanceOf(ProtocolException.class)
        .hasMessage("Protocol error: " + error);
  }

  @Test
  void allWordsTogetherAreBounded() {
    String word = "$1000\r\n" + "x".repeat(1000) + "\r\n";
    assertThat(parse("*9\r\n" + word.repeat(9))).hasSize(1);
    assertThatThrownBy(() -> parse("*10\r\n" + word.repeat(10)))
        .hasMessage("Protocol error: invalid request length");
  }

  @Test
  void aMillionNestedArraysAreAnError() {
    assertThatThrownBy(() -> parse("*1\r\n".repeat(1_000_000)))
        .hasMessage("Protocol error: expected '$', got '*'");
  }

  @Test
  void aLineWithoutEndIsAnError() {
    assertThatThrownBy(() -> parse("a".repeat(70_000)))
        .hasMessage("Protocol error: too big inline request");
  }

  @Test
  void aStrangerMaySendLittle() {
    RequestParser strangers = new RequestParser(RequestLimits.BEFORE_PASSWORD);
    assertThatThrownBy(() -> strangers.next(Unpooled.copiedBuffer("*11\r\n", ISO_8859_1)))
        .hasMessage("Protocol error: unauthenticated multibulk length");
    RequestParser other = new RequestParser(RequestLimits.BEFORE_PASSWORD);
    assertThatThrownBy(() -> other.next(Unpooled.copiedBuffer("*1\r\n$16385\r\n", ISO_8859_1)))
        .hasMessage("Protocol error: unauthenticated bulk length");
  }
}
