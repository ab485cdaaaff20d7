package io.github.slotbloom.internal.store.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.InvalidParameterException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestTextTest {

  private static final TableNames TABLES = PlayedJournal.TABLES;

  /** The first generation was filled; the third began while the fourth is being filled. */
  private static final Manifest MANIFEST =
      new Manifest(
          31,
          -31,
          4,
          6,
          List.of(generation(2, 5, 12, 0.001), generation(3, 20, 0, 0.0001)),
          generation(5, 18, 0, 0.5));

  private static final String TEXT =
      """
      {"seq":31,"token":-31,"begins":4,"next":6,"generations":[\
      {"generation":2,"state":"ACTIVE","since":5,"token":-50,"capacity":200,"rate":0.001,\
      "bits":1024,"hashes":6,"cutover":12},\
      {"generation":3,"state":"ACTIVE","since":20,"token":-200,"capacity":300,"rate":0.0001,\
      "bits":1536,"hashes":6},\
      {"generation":5,"state":"FILLING","since":18,"token":-180,"capacity":500,"rate":0.5,\
      "bits":2560,"hashes":6}]}""";

  private static final Manifest OF_WINDOW =
      Manifest.first(generation(1, 0, 0, 0.01).in(new Bucket(100, 2)))
          .goingOn(3, 30, new Bucket(101, 2))
          .rotated(new KeyCounts(7, 1, 2), generation(2, 8, 0, 0.01).in(new Bucket(102, 2)));

  private static final String TEXT_OF_WINDOW =
      """
      {"seq":8,"token":-80,"begins":0,"next":3,"window":2,"generations":[\
      {"generation":1,"state":"ACTIVE","since":0,"token":0,"capacity":100,"rate":0.01,\
      "bits":512,"hashes":6,"bucket":101,"went_on":true,"keys":7,"removed":1,"renewed":2},\
      {"generation":2,"state":"ACTIVE","since":8,"token":-80,"capacity":200,"rate":0.01,\
      "bits":1024,"hashes":6,"bucket":102,"went_on":false}]}""";

  private static final String FORM = "it is not of the form that Slotbloom writes";
  private static final String TOO_LARGE = "it has a number that is too large";

  private final ManifestText form = new ManifestText(TABLES, Layout.BLOCKED, null);
  private final ManifestText formOfWindow =
      new ManifestText(TABLES, Layout.BLOCKED, new Window(Duration.ofSeconds(2), 2, false));

  private static GenerationRecord generation(int number, long since, long cutover, double rate) {
    return new GenerationRecord(
        number,
        since,
        since * -10,
        100L * number,
        rate,
        new BloomParameters(Layout.BLOCKED, 512L * number, 6),
        "bloom_bits_7_a_v" + number,
        cutover,
        null,
        false,
        null);
  }

  @Test
  void theTextIsOfAFixedForm() {
    assertThat(ManifestText.of(MANIFEST)).isEqualTo(TEXT);
    assertThat(form.read(TEXT)).isEqualTo(MANIFEST);
    assertThat(ManifestText.of(OF_WINDOW)).isEqualTo(TEXT_OF_WINDOW);
    assertThat(formOfWindow.read(TEXT_OF_WINDOW)).isEqualTo(OF_WINDOW);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void everyManifestIsReadAsItWasWritten(long seed) {
    for (int story = 0; story < 200; story++) {
      requireRoundTrips(seed * 1_000_000 + story);
    }
  }

  @Test
  void manifestsThatNobodyThoughtOfAreReadAsTheyWereWritten() {
    long seed = new Random().nextInt();
    System.out.println("texts of random manifests with the seed " + seed);
    for (int story = 0; story < 200; story++) {
      requireRoundTrips(seed * 1_000_000 + story);
    }
  }

  private static void requireRoundTrips(long seed) {
    RandomJournal random = new RandomJournal(seed);
    while (random.goesOn()) {
      random.step();
    }
    PlayedJournal journal = random.journal();
    ManifestText text =
        new ManifestText(PlayedJournal.TABLES, PlayedJournal.LAYOUT, journal.window());
    for (Manifest manifest : journal.manifests()) {
      assertThat(text.read(ManifestText.of(manifest))).isEqualTo(manifest);
    }
  }

  @Test
  void theLargestNumbersAreReadAsTheyWereWritten() {
    GenerationRecord large =
        new GenerationRecord(
            Integer.MAX_VALUE - 1,
            Long.MAX_VALUE - 1,
            Long.MIN_VALUE,
            1L << 40,
            Double.MIN_VALUE,
            new BloomParameters(Layout.BLOCKED, BloomParameters.MAX_BITS, 64),
            TABLES.slots(Integer.MAX_VALUE - 1),
            Long.MAX_VALUE,
            new Bucket(1L << 40, 2),
            true,
            new KeyCounts(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE));
    Manifest manifest =
        new Manifest(
            Long.MAX_VALUE,
            Long.MAX_VALUE,
            Long.MAX_VALUE - 1,
            Integer.MAX_VALUE,
            List.of(large),
            null);
    assertThat(formOfWindow.read(ManifestText.of(manifest))).isEqualTo(manifest);
  }

  /** Whatever is changed in a text, it is refused, or is the text of what is read. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void aTextThatWasDamagedIsRefusedOrIsTheTextOfAnotherManifest(long seed) {
    Random random = new Random(seed);
    int refused = 0;
    int tries = 20_000;
    for (int i = 0; i < tries; i++) {
      boolean window = random.nextBoolean();
      StringBuilder damaged = new StringBuilder(window ? TEXT_OF_WINDOW : TEXT);
      for (int left = 1 + random.nextInt(2); left > 0; left--) {
        damage(damaged, random);
      }
      String text = damaged.toString();
      try {
        Manifest read = (window ? formOfWindow : form).read(text);
        assertThat(ManifestText.of(read)).isEqualTo(text);
      } catch (InvalidParameterException e) {
        assertThat(e).as(text).message().isNotEmpty();
        refused++;
      }
    }
    assertThat(refused).isBetween(tries / 2, tries - 1);
  }

  private static void damage(StringBuilder text, Random random) {
    int at = random.nextInt(text.length());
    int length = random.nextInt(20);
    switch (random.nextInt(4)) {
      case 0 -> text.deleteCharAt(at);
      case 1 -> text.insert(at, text.substring(at, Math.min(text.length(), at + length)));
      case 2 -> text.delete(at, Math.min(text.length(), at + length));
      default -> {
        String some = "0123456789-+.,:E\"{}[] \n\u00e9";
        text.setCharAt(at, some.charAt(random.nextInt(some.length())));
      }
    }
  }

  private void requireRefused(ManifestText reader, String text, String why) {
    assertThatThrownBy(() -> reader.read(text))
        .as(text)
        .isInstanceOf(InvalidParameterException.class)
        .hasMessage(why);
  }

  /** Requires that the text is refused once a part of it is another one. */
  private void requireRefused(String part, String other, String why) {
    assertThat(TEXT).containsOnlyOnce(part);
    requireRefused(form, TEXT.replace(part, other), why);
  }

  private void requireRefusedOfWindow(String part, String other, String why) {
    assertThat(TEXT_OF_WINDOW).containsOnlyOnce(part);
    requireRefused(formOfWindow, TEXT_OF_WINDOW.replace(part, other), why);
  }

  @Test
  void whatIsNoManifestIsRefused() {
    for (String text : List.of("", " ", "{}", "[]", "null", "{\"seq\":31}", TEXT + "]}")) {
      requireRefused(form, text, FORM);
    }
    requireRefused(form, TEXT.substring(0, TEXT.length() - 1), FORM);
    requireRefused(form, TEXT.replace('"', '\''), FORM);
  }

  @Test
  void blanksAreRefused() {
    for (String blank : List.of(" ", "\t", "\n", "\r\n", "\u00a0")) {
      requireRefused(form, blank + TEXT, FORM);
      requireRefused(form, TEXT + blank, FORM);
      for (String mark : List.of("{", "}", "[", "]", ":", ",")) {
        requireRefused(form, TEXT.replaceFirst("\\" + mark, mark + blank), FORM);
      }
      requireRefused("{\"generation\":3", blank + "{\"generation\":3", FORM);
      requireRefused("\"hashes\":6}]", "\"hashes\":6" + blank + "}]", FORM);
    }
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "FILLING, DROPPED",
        "FILLING, filling",
        "FILLING, ``",
        "`\"seq\":31,\"token\":-31,`, `\"token\":-31,\"seq\":31,`",
        "`\"begins\":4,\"next\":6`, `\"next\":6,\"begins\":4`",
        "`\"since\":18,\"token\":-180`, `\"token\":-180,\"since\":18`",
        "`\"since\":18,`, ``",
        "`\"begins\":4,`, ``",
        "`\"since\":18,`, `\"since\":18,\"since\":18,`",
        "`\"begins\":4,`, `\"begins\":4,\"more\":1,`",
        "`\"seq\"`, `\"SEQ\"`",
        "`},{\"generation\":3`, `}{\"generation\":3`",
        "`},{\"generation\":3`, `},,{\"generation\":3`",
        "`},{\"generation\":3`, `},0,{\"generation\":3`",
        "`},{\"generation\":3`, `},{},{\"generation\":3`",
        "`[{\"generation\":2`, `[,{\"generation\":2`",
        "`6}]}`, `6},]}`",
        "`\"cutover\":12`, `\"cutover\":0`",
      })
  void anotherFormIsRefused(String part, String other) {
    requireRefused(part, other, FORM);
  }

  @ParameterizedTest
  @CsvSource({"31, 031", "31, +31", "31, -31", "31, 31.0", "31, 3e1", "31, ٣١", "31, null"})
  void aNumberOfAnotherFormIsRefused(String number, String other) {
    requireRefused("\"seq\":" + number, "\"seq\":" + other, FORM);
  }

  @Test
  void aNumberThatIsTooLargeIsRefused() {
    requireRefused("\"seq\":31", "\"seq\":9223372036854775808", TOO_LARGE);
    requireRefused("\"seq\":31", "\"seq\":10000000000000000000", FORM);
    requireRefused("\"token\":-31", "\"token\":-9223372036854775809", TOO_LARGE);
    requireRefused("\"token\":-31", "\"token\":9223372036854775808", TOO_LARGE);
    requireRefused("\"begins\":4", "\"begins\":9999999999999999999", TOO_LARGE);
    requireRefused("\"next\":6", "\"next\":2147483648", TOO_LARGE);
    requireRefused("\"generation\":2", "\"generation\":2147483648", TOO_LARGE);
    requireRefused("\"since\":5", "\"since\":9223372036854775808", TOO_LARGE);
    requireRefused("\"token\":-50", "\"token\":-9223372036854775809", TOO_LARGE);
    requireRefused("\"capacity\":200", "\"capacity\":9223372036854775808", TOO_LARGE);
    requireRefused("\"bits\":1024", "\"bits\":9223372036854775808", TOO_LARGE);
    requireRefused("\"bits\":1024,\"hashes\":6", "\"bits\":1024,\"hashes\":2147483648", TOO_LARGE);
    requireRefused("\"cutover\":12", "\"cutover\":9223372036854775808", TOO_LARGE);
    requireRefusedOfWindow("\"bucket\":101", "\"bucket\":9223372036854775808", TOO_LARGE);
    requireRefusedOfWindow("\"keys\":7", "\"keys\":9223372036854775808", TOO_LARGE);
    requireRefusedOfWindow("\"removed\":1", "\"removed\":9223372036854775808", TOO_LARGE);
    requireRefusedOfWindow("\"renewed\":2", "\"renewed\":9223372036854775808", TOO_LARGE);
    requireRefusedOfWindow(
        "\"bucket\":101",
        "\"bucket\":" + ((1L << 40) + 1),
        "generation 1 has the bucket " + ((1L << 40) + 1));
  }

  @Test
  void aGenerationThatCannotBeIsRefused() {
    requireRefused("\"generation\":2", "\"generation\":0", "there is a generation 0");
    requireRefused("\"generation\":5", "\"generation\":0", "there is a generation 0");
    requireRefused("\"capacity\":200", "\"capacity\":0", "generation 2 has the capacity 0");
    requireRefused(
        "\"capacity\":200",
        "\"capacity\":" + ((1L << 40) + 1),
        "generation 2 has the capacity " + ((1L << 40) + 1));
    requireRefused(
        "\"bits\":1024", "\"bits\":0", "bits is 0; use a number from 64 to 4398046511104");
    requireRefused(
        "\"bits\":1024",
        "\"bits\":1025",
        "bits is 1025; the BLOCKED layout needs whole blocks, so use a multiple of 512");
    requireRefused(
        "\"bits\":1024,\"hashes\":6",
        "\"bits\":1024,\"hashes\":65",
        "hashes is 65; use a number from 1 to 64");
  }

  @Test
  void aRateThatCannotBeIsRefused() {
    requireRefused("0.001", "0.0", "generation 2 has the rate 0.0");
    requireRefused("0.001", "-0.0", "generation 2 has the rate -0.0");
    requireRefused("0.001", "-0.001", "generation 2 has the rate -0.001");
    requireRefused("0.001", "1.0000000000000002", "generation 2 has the rate 1.0000000000000002");
    requireRefused("0.001", "1.0E999", "generation 2 has the rate Infinity");
    requireRefused("0.001", "1.0E-999", "generation 2 has the rate 0.0");
    for (String other : List.of("0.0010", "1.0E-3", "1e-3", "1.0", ".001", "NaN", "")) {
      requireRefused("0.001", other, FORM);
    }
    for (String none : List.of("-", ".", "E", "0.0.1")) {
      requireRefused("0.001", none, TOO_LARGE);
    }
    assertThat(form.read(TEXT.replace("0.001", "1")).read())
        .as("the rate of a size that was given may be rounded to 1")
        .first()
        .extracting(GenerationRecord::falsePositiveRate)
        .isEqualTo(1.0);
  }

  @Test
  void bucketsBelongToWindowsOnly() {
    requireRefused(form, TEXT_OF_WINDOW, "generation 1 has the bucket 101");
    requireRefused(formOfWindow, TEXT, "generation 2 has the bucket null");
    requireRefused(
        "\"hashes\":6,\"cutover\":12",
        "\"hashes\":6,\"cutover\":12,\"bucket\":3,\"went_on\":false",
        "generation 2 has the bucket 3");
    requireRefusedOfWindow(
        ",\"bucket\":102,\"went_on\":false", "", "generation 2 has the bucket null");
    requireRefusedOfWindow(",\"went_on\":false", "", FORM);
    requireRefusedOfWindow("\"went_on\":false", "\"went_on\":0", FORM);
  }

  @Test
  void someGenerationAnswers() {
    String none = "no generation is active";
    requireRefused(
        form, "{\"seq\":0,\"token\":0,\"begins\":0,\"next\":1,\"generations\":[]}", none);
    requireRefused(form, TEXT.replace("ACTIVE", "FILLING"), none);
  }

  @Test
  void oneGenerationIsFilledAndIsTheLast() {
    requireRefused(
        "\"generation\":3,\"state\":\"ACTIVE\"", "\"generation\":3,\"state\":\"FILLING\"", FORM);
    requireRefused(
        "\"generation\":2,\"state\":\"ACTIVE\"", "\"generation\":2,\"state\":\"FILLING\"", FORM);
    Manifest other =
        new Manifest(
            31, -31, 4, 6, List.of(generation(2, 5, 12, 0.001)), generation(5, 18, 0, 0.5));
    String generations = TEXT.substring(TEXT.indexOf('['));
    String first = generations.substring(1, generations.indexOf('}') + 1);
    String filling =
        ManifestText.of(other).substring(ManifestText.of(other).indexOf("{\"generation\":5"));
    requireRefused(
        form,
        TEXT.substring(0, TEXT.indexOf('[') + 1) + filling.replace("]}", "," + first + "]}"),
        FORM);
  }

  @Test
  void generationsAreInOrder() {
    requireRefused("\"since\":20", "\"since\":4", "generation 3 does not follow generation 2");
    requireRefused(
        "\"generation\":3", "\"generation\":2", "generation 2 does not follow generation 2");
    requireRefused(
        "\"generation\":3", "\"generation\":1", "generation 1 does not follow generation 2");
    requireRefused("\"generation\":5", "\"generation\":3", "there are two generations 3");
    requireRefusedOfWindow(
        "\"bucket\":102", "\"bucket\":100", "generation 2 does not follow generation 1");
    assertThat(
            formOfWindow.read(TEXT_OF_WINDOW.replace("\"bucket\":102", "\"bucket\":101")).newest())
        .as("which grew in its bucket")
        .matches(newest -> newest.isInBucketOf(OF_WINDOW.read().get(0).in(new Bucket(101, 2))));
  }

  @Test
  void generationsBeganByThenAndSinceTheLastClear() {
    String two = "generation 2 is not one of those that began by then";
    String three = "generation 3 is not one of those that began by then";
    String five = "generation 5 is not one of those that began by then";
    requireRefused("\"since\":20", "\"since\":32", three);
    requireRefused("\"since\":18", "\"since\":32", five);
    requireRefused("\"seq\":31", "\"seq\":19", three);
    requireRefused("\"since\":5", "\"since\":3", two);
    requireRefused("\"since\":18", "\"since\":3", five);
    requireRefused("\"begins\":4", "\"begins\":6", two);
    requireRefused("\"begins\":4", "\"begins\":32", two);
    requireRefused("\"next\":6", "\"next\":5", five);
    requireRefused("\"next\":6", "\"next\":0", two);
    requireRefused(
        "\"generation\":3",
        "\"generation\":6",
        "generation 6 is not one of those that began by then");
    requireRefused("\"cutover\":12", "\"cutover\":32", two);
    requireRefused("\"cutover\":12", "\"cutover\":5", two);
    requireRefused("\"cutover\":12", "\"cutover\":4", two);
    assertThat(form.read(TEXT.replace("\"since\":20", "\"since\":31")).begun())
        .extracting(GenerationRecord::number)
        .isEqualTo(3);
    assertThat(form.read(TEXT.replace("\"begins\":4", "\"begins\":5")).begins()).isEqualTo(5);
  }
}
