package io.github.slotbloom.cli.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.Template;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.report.VerifyReport;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The report of a filter as one HTML file without scripts, fonts or images from elsewhere. The
 * template calls these methods by name, and escapes their results.
 */
public final class ReportPage {

  private static final String TEMPLATE = "report.html";

  private final Evidence evidence;
  private final RateModel rates;
  private final List<HeatGrid> maps;
  private final List<Notice> notices;

  private ReportPage(Evidence evidence) {
    this.evidence = evidence;
    FilterInfo info = evidence.info();
    rates = new RateModel(info);
    maps =
        evidence.inspection().generations().stream()
            .map(map -> new HeatGrid(map, info.layout()))
            .toList();
    VerifyReport verified = evidence.verified();
    notices =
        Stream.concat(
                verified == null ? Stream.of() : new VerifiedNotices(verified).all().stream(),
                new Advice(info, rates, maps).all().stream())
            .sorted(Comparator.comparing(Notice::level))
            .toList();
  }

  /** Returns the page as HTML. */
  public static String of(Evidence evidence) {
    return template().execute(new ReportPage(evidence));
  }

  private static Template template() {
    try (InputStream stream =
            Objects.requireNonNull(ReportPage.class.getResourceAsStream(TEMPLATE), TEMPLATE);
        Reader reader = new InputStreamReader(stream, UTF_8)) {
      return Mustache.compiler().strictSections(true).compile(reader);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the template of the report", e);
    }
  }

  String name() {
    return evidence.info().name();
  }

  String madeAt() {
    return Notation.time(evidence.madeAt());
  }

  String madeBy() {
    return evidence.madeBy();
  }

  Condition condition() {
    return Condition.of(evidence.info(), rates, notices);
  }

  GaugeArc gauge() {
    return new GaugeArc(evidence.info().used());
  }

  String used() {
    return Notation.used(evidence.info().used());
  }

  /** Returns the reading in a form that fits into the arc. */
  String gaugeReading() {
    return Notation.usedInShort(evidence.info().used());
  }

  String keysSet() {
    return Notation.count(evidence.info().keysSet());
  }

  String capacity() {
    return Notation.count(evidence.info().fullAt());
  }

  String warnAtKeys() {
    return Notation.count(evidence.info().nearlyFullAt());
  }

  String rateNow() {
    return Notation.rate(rates.now());
  }

  String targetRate() {
    return Notation.rate(evidence.info().falsePositiveRate());
  }

  String rateAtCapacity() {
    return Notation.rate(rates.expected(evidence.info().fullAt()));
  }

  String keysInOlder() {
    return Notation.count(rates.before());
  }

  RateChart chart() {
    return new RateChart(evidence.info(), rates);
  }

  boolean isWindow() {
    return evidence.info().window().isPresent();
  }

  BucketChart buckets() {
    return new BucketChart(evidence.info());
  }

  List<HeatGrid> maps() {
    return maps;
  }

  List<Notice> notices() {
    return notices;
  }

  Facts facts() {
    return new Facts(evidence.info(), rates);
  }

  int usageDays() {
    return FilterInfo.USAGE_DAYS;
  }

  List<GenerationRow> generations() {
    return evidence.info().generations().stream().map(GenerationRow::of).toList();
  }

  boolean isVerified() {
    return evidence.verified() != null;
  }

  List<CheckRow> checks() {
    return evidence.verified() == null ? List.of() : CheckRow.of(evidence.verified());
  }
}
