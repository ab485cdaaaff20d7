package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.InvalidParameterException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever numbers are given, there comes out a sound filter or an error that names them. */
class FilterSpecTest {

  @Property(tries = 2_000)
  @Timeout(45)
  void aSpecIsValidOrAnErrorNamesItsNumbers(
      @ForAll("numbers") long capacity,
      @ForAll("rates") double rate,
      @ForAll Layout layout,
      @ForAll boolean fixed) {
    FilterSpec.Builder<String> builder =
        FilterSpec.builder(KeyType.text())
            .capacity(capacity)
            .falsePositiveRate(rate)
            .layout(layout);
    FilterSpec<String> spec;
    try {
      spec = (fixed ? builder.fixed() : builder).build();
    } catch (InvalidParameterException e) {
      assertNames(e, capacity, rate, fixed ? rate : rate / 2);
      return;
    }
    assertThat(spec.capacity()).isEqualTo(capacity).isBetween(1L, Sizing.MAX_CAPACITY);
    assertThat(spec.falsePositiveRate()).isEqualTo(rate).isGreaterThan(0).isLessThan(1);
    assertSound(spec);
    assertThat(Sizing.expectedFalsePositiveRate(spec.parameters(), capacity))
        .isPositive()
        .isLessThanOrEqualTo(rate);
  }

  @Property(tries = 2_000)
  void anExplicitSizeIsValidOrAnErrorNamesItsNumbers(
      @ForAll("numbers") long capacity,
      @ForAll("numbers") long bits,
      @ForAll("hashes") int hashes,
      @ForAll Layout layout) {
    FilterSpec.Builder<String> builder =
        FilterSpec.builder(KeyType.text())
            .capacity(capacity)
            .explicitSize(bits, hashes)
            .layout(layout);
    FilterSpec<String> spec;
    try {
      spec = builder.build();
    } catch (InvalidParameterException e) {
      assertNames(e, capacity, bits, hashes);
      return;
    }
    assertThat(spec.parameters()).isEqualTo(new BloomParameters(layout, bits, hashes));
    assertThat(spec.capacity()).isEqualTo(capacity).isBetween(1L, Sizing.MAX_CAPACITY);
    assertThat(spec.falsePositiveRate()).isFinite().isPositive().isLessThanOrEqualTo(1);
    assertThat(spec.growable()).isFalse();
    assertSound(spec);
  }

  private static void assertSound(FilterSpec<?> spec) {
    BloomParameters parameters = spec.parameters();
    assertThat(parameters.bits()).isBetween(BloomParameters.MIN_BITS, BloomParameters.MAX_BITS);
    assertThat(parameters.hashes()).isBetween(1, BloomParameters.MAX_HASHES);
    assertThat(parameters.slots() * Long.SIZE).isBetween(parameters.bits(), parameters.bits() + 63);
  }

  /** One of the numbers that were given, and what to use instead. */
  private static void assertNames(InvalidParameterException e, Number... given) {
    String message = e.getMessage().replace(",", "");
    assertThat(given)
        .as(message)
        .anyMatch(number -> message.matches(".*(^|[ (])\\Q" + number + "\\E[ ;.).].*"));
    assertThat(message).contains("use ");
  }

  @Provide
  Arbitrary<Long> numbers() {
    return Arbitraries.oneOf(
        Arbitraries.longs(),
        Arbitraries.longs().between(-1, 2_000),
        Arbitraries.longs().between(1, Sizing.MAX_CAPACITY),
        Arbitraries.longs().between(1, 1 << 20).map(blocks -> blocks * 512),
        Arbitraries.of(
            0L,
            -1L,
            1L,
            Long.MIN_VALUE,
            Long.MAX_VALUE,
            BloomParameters.MIN_BITS,
            BloomParameters.MAX_BITS,
            BloomParameters.MAX_BITS + 1,
            Sizing.MAX_CAPACITY,
            Sizing.MAX_CAPACITY + 1,
            1L + Integer.MAX_VALUE,
            (1L << 32) + 512));
  }

  @Provide
  Arbitrary<Double> rates() {
    return Arbitraries.oneOf(
        Arbitraries.longs().map(Double::longBitsToDouble),
        Arbitraries.doubles().between(0, 1).ofScale(18),
        Arbitraries.integers().between(-330, 1).map(exponent -> Math.pow(10, exponent)),
        Arbitraries.of(
            0.0,
            -0.0,
            1.0,
            Math.nextDown(1.0),
            Math.nextUp(1.0),
            0x1p-62,
            Double.MIN_VALUE,
            Double.MIN_NORMAL,
            -Double.MIN_VALUE,
            Double.MAX_VALUE,
            Double.NaN,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY));
  }

  @Provide
  Arbitrary<Integer> hashes() {
    return Arbitraries.oneOf(
        Arbitraries.integers(),
        Arbitraries.integers().between(0, 66),
        Arbitraries.of(Integer.MIN_VALUE, Integer.MAX_VALUE));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE, (1L << 40) + 1, Long.MAX_VALUE})
  void anExplicitSizeNeedsACapacityToo(long capacity) {
    assertThatThrownBy(
            () ->
                FilterSpec.builder(KeyType.text()).capacity(capacity).explicitSize(5120, 7).build())
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageMatching(
            "capacity is [-0-9,]+; use (1 key or more|1,099,511,627,776 keys or fewer)");
  }

  /** Each number that a message names is possible, and the next one is not. */
  @ParameterizedTest
  @CsvSource({
    "1000, 1e-20, BLOCKED",
    "1000, 1e-20, STANDARD",
    "1000, 1e-15, BLOCKED",
    "1000, 2.168E-16, STANDARD",
    "300000000000, 0.001, BLOCKED",
    "100000000000000000, 0.001, BLOCKED",
    "100000000000000000, 0.001, STANDARD"
  })
  void whatAMessageNamesIsPossible(long capacity, double rate, Layout layout) {
    FilterSpec.Builder<String> spec = FilterSpec.builder(KeyType.text()).layout(layout);

    String message = refusal(spec.capacity(capacity).falsePositiveRate(rate));

    Matcher rates =
        Pattern.compile("a false positive rate of ([-.0-9E]+) or more").matcher(message);
    Matcher keys = Pattern.compile("([0-9,]+) keys or fewer").matcher(message);
    boolean namesRate = rates.find();
    boolean namesKeys = keys.find();
    assertThat(namesRate || namesKeys).as(message).isTrue();
    if (namesRate) {
      double smallest = Double.parseDouble(rates.group(1));
      assertSound(spec.capacity(capacity).falsePositiveRate(smallest).build());
      refusal(spec.falsePositiveRate(0.99 * smallest));
    }
    if (namesKeys) {
      long most = Long.parseLong(keys.group(1).replace(",", ""));
      assertSound(spec.capacity(most).falsePositiveRate(rate).build());
      refusal(spec.capacity(most + 1));
    }
    if (message.contains("or the layout STANDARD")) {
      assertSound(spec.capacity(capacity).falsePositiveRate(rate).layout(Layout.STANDARD).build());
    }
  }

  private static String refusal(FilterSpec.Builder<?> spec) {
    return assertThatExceptionOfType(InvalidParameterException.class)
        .isThrownBy(spec::build)
        .actual()
        .getMessage();
  }

  @Test
  void aWindowHoldsAKeyAtLeast() {
    assertThatThrownBy(
            () ->
                FilterSpec.builder(KeyType.text())
                    .capacity(0)
                    .window(Duration.ofDays(7), 7)
                    .build())
        .isInstanceOf(InvalidParameterException.class)
        .hasMessage("capacity is 0; use 1 key or more");
  }

  @ParameterizedTest
  @CsvSource({"0, 0, bits is 0; use", "0, 7, bits is 0; use", "512, 0, hashes is 0; use"})
  void anExplicitSizeOfZeroIsNotTakenForNone(long bits, int hashes, String message) {
    FilterSpec.Builder<String> builder =
        FilterSpec.builder(KeyType.text()).capacity(1_000).explicitSize(bits, hashes);

    assertThatThrownBy(builder::build)
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining(message);
  }

  @Test
  void keysAreKeptForAtMostAnEighthLonger() {
    FilterSpec<String> week = FilterSpec.text(1_000).keepFor(Duration.ofDays(7)).build();
    assertThat(week.window()).contains(new Window(Duration.ofDays(7), 8, false));
    assertThatThrownBy(() -> FilterSpec.longs(1_000).keepFor(Duration.ofSeconds(7)))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("PT7S");
  }

  @Test
  void aGrowableFilterGrowsAutomaticallyByDefault() {
    FilterSpec.Builder<String> builder = FilterSpec.builder(KeyType.text()).capacity(1_000);
    assertThat(builder.build().onFull()).isEqualTo(OnFull.GROW);
    for (OnFull onFull : OnFull.values()) {
      assertThat(builder.onFull(onFull).build().onFull()).isEqualTo(onFull);
    }
  }

  @Test
  void aFixedFilterDegradesByDefault() {
    for (FilterSpec.Builder<String> builder :
        List.of(
            FilterSpec.builder(KeyType.text()).capacity(100).fixed(),
            FilterSpec.builder(KeyType.text()).capacity(100).explicitSize(5120, 7))) {
      assertThat(builder.build().onFull()).isEqualTo(OnFull.DEGRADE);
      assertThat(builder.onFull(OnFull.REFUSE).build().onFull()).isEqualTo(OnFull.REFUSE);
      assertThatThrownBy(builder.onFull(OnFull.GROW)::build)
          .isInstanceOf(InvalidParameterException.class)
          .hasMessageContainingAll("fixed", "cannot grow");
    }
  }

  @Test
  void aSeedIsZeroOrRandomUnlessGiven() {
    FilterSpec.Builder<String> builder = FilterSpec.builder(KeyType.text()).capacity(1_000);
    assertThat(builder.build().seed()).hasValue(0);
    assertThat(builder.hash(HashAlgorithm.MURMUR3_128).build().seed()).hasValue(0);
    assertThat(builder.hash(HashAlgorithm.SIPHASH_24).build().seed()).isEmpty();
    assertThat(builder.hash(HashAlgorithm.SHA256).build().seed()).isEmpty();
    assertThat(builder.seed(-1).build().seed()).hasValue(-1);
    assertThatThrownBy(builder.hash(HashAlgorithm.MURMUR3_128)::build)
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("0 to 4294967295, not -1");
  }
}
