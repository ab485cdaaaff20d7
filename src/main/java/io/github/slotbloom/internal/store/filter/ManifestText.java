package io.github.slotbloom.internal.store.filter;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.InvalidParameterException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A manifest as it is stored: JSON of one fixed form, so that views can take it apart. A text that
 * this class would not have written is refused, whatever it may mean.
 */
public final class ManifestText {

  private static final String WHOLE = "(\\d{1,19})";
  private static final String SIGNED = "(-?\\d{1,19})";

  private static final Pattern GENERATION =
      Pattern.compile(
          ("\\{'generation':%1$s,'state':'(ACTIVE|FILLING)','since':%1$s,'token':%2$s,"
                  + "'capacity':%1$s,'rate':([-.0-9E]+),'bits':%1$s,'hashes':%1$s"
                  + "(?:,'cutover':%1$s)?(?:,'bucket':%1$s,'went_on':(true|false))?"
                  + "(?:,'keys':%1$s,'removed':%1$s,'renewed':%1$s)?\\}")
              .formatted(WHOLE, SIGNED)
              .replace('\'', '"'));

  private static final Pattern MANIFEST =
      Pattern.compile(
          ("\\{'seq':%1$s,'token':%2$s,'begins':%1$s,'next':%1$s(?:,'window':%1$s)?,"
                  + "'generations':\\[(.*)\\]\\}")
              .formatted(WHOLE, SIGNED)
              .replace('\'', '"'));

  private static final MathContext SEVENTEEN_DIGITS = new MathContext(17);

  /** A number of a bucket beyond all dates, and small enough that nothing overflows. */
  private static final long MOST_BUCKETS = 1L << 40;

  private final TableNames tables;
  private final Layout layout;
  private final @Nullable Window window;

  /**
   * Creates the reader of one filter's manifests.
   *
   * @param window null if its keys never expire
   */
  public ManifestText(TableNames tables, Layout layout, @Nullable Window window) {
    this.tables = tables;
    this.layout = layout;
    this.window = window;
  }

  /** Returns the text of a manifest. */
  public static String of(Manifest manifest) {
    Bucket bucket = manifest.newest().bucket();
    return "{\"seq\":%s,\"token\":%s,\"begins\":%s,\"next\":%s%s,\"generations\":[%s]}"
        .formatted(
            manifest.seq(),
            manifest.token(),
            manifest.begins(),
            manifest.next(),
            bucket == null ? "" : ",\"window\":" + bucket.window(),
            manifest.all().stream()
                .map(generation -> of(generation, generation.equals(manifest.target())))
                .collect(Collectors.joining(",")));
  }

  private static String of(GenerationRecord generation, boolean filling) {
    StringBuilder text = new StringBuilder("{\"generation\":").append(generation.number());
    text.append(",\"state\":\"").append(filling ? "FILLING" : "ACTIVE");
    text.append("\",\"since\":").append(generation.sinceSeq());
    text.append(",\"token\":").append(generation.sinceToken());
    text.append(",\"capacity\":").append(generation.capacity());
    text.append(",\"rate\":").append(decimal(generation.falsePositiveRate()));
    text.append(",\"bits\":").append(generation.parameters().bits());
    text.append(",\"hashes\":").append(generation.parameters().hashes());
    if (generation.cutoverSeq() > 0) {
      text.append(",\"cutover\":").append(generation.cutoverSeq());
    }
    Bucket bucket = generation.bucket();
    if (bucket != null) {
      text.append(",\"bucket\":").append(bucket.number());
      text.append(",\"went_on\":").append(generation.wentOn());
    }
    KeyCounts counts = generation.counts();
    if (counts != null) {
      text.append(",\"keys\":").append(counts.keys());
      text.append(",\"removed\":").append(counts.removed());
      text.append(",\"renewed\":").append(counts.renewed());
    }
    return text.append('}').toString();
  }

  /** Returns digits that tell a number from all others, the same on each version of Java. */
  private static String decimal(double number) {
    return new BigDecimal(number).round(SEVENTEEN_DIGITS).stripTrailingZeros().toString();
  }

  /**
   * Reads a manifest.
   *
   * @throws InvalidParameterException if the text cannot be one of this filter; the message says
   *     why
   */
  public Manifest read(String text) {
    Matcher whole = MANIFEST.matcher(text);
    if (!whole.matches()) {
      throw new InvalidParameterException("it is not of the form that Slotbloom writes");
    }
    List<GenerationRecord> read = new ArrayList<>();
    GenerationRecord target = null;
    try {
      for (MatchResult each : GENERATION.matcher(whole.group(6)).results().toList()) {
        GenerationRecord generation = generation(each);
        if (each.group(2).equals("ACTIVE")) {
          requireAfter(read, generation);
          read.add(generation);
        } else {
          target = generation;
        }
      }
      require(!read.isEmpty(), "no generation is active");
      if (target != null) {
        int filling = target.number();
        require(
            read.stream().noneMatch(each -> each.number() == filling),
            "there are two generations " + filling);
      }
      requireWindow(whole.group(5));
      Manifest manifest =
          new Manifest(
              Long.parseLong(whole.group(1)),
              Long.parseLong(whole.group(2)),
              Long.parseLong(whole.group(3)),
              Integer.parseInt(whole.group(4)),
              read,
              target);
      require(of(manifest).equals(text), "it is not of the form that Slotbloom writes");
      manifest.all().forEach(generation -> requireWithin(manifest, generation));
      return manifest;
    } catch (NumberFormatException e) {
      throw new InvalidParameterException("it has a number that is too large");
    }
  }

  /** Otherwise keys would be found that expired, or forgotten that did not. */
  private void requireWindow(@Nullable String buckets) {
    String known = window == null ? null : Integer.toString(window.buckets());
    require(
        Objects.equals(buckets, known),
        "the window has %s buckets, and not %s as window_buckets says".formatted(buckets, known));
  }

  private GenerationRecord generation(MatchResult text) {
    int number = Integer.parseInt(text.group(1));
    long capacity = Long.parseLong(text.group(5));
    double rate = Double.parseDouble(text.group(6));
    require(number >= 1, "there is a generation 0");
    require(
        capacity >= 1 && capacity <= Sizing.MAX_CAPACITY,
        "generation " + number + " has the capacity " + capacity);
    // An explicit size may be so small that the rate is rounded to 1.
    require(rate > 0 && rate <= 1, "generation " + number + " has the rate " + rate);
    return new GenerationRecord(
        number,
        Long.parseLong(text.group(3)),
        Long.parseLong(text.group(4)),
        capacity,
        rate,
        new BloomParameters(layout, Long.parseLong(text.group(7)), Integer.parseInt(text.group(8))),
        tables.slots(number),
        text.group(9) == null ? 0 : Long.parseLong(text.group(9)),
        bucket(number, text.group(10)),
        "true".equals(text.group(11)),
        text.group(12) == null
            ? null
            : new KeyCounts(
                Long.parseLong(text.group(12)),
                Long.parseLong(text.group(13)),
                Long.parseLong(text.group(14))));
  }

  private @Nullable Bucket bucket(int generation, @Nullable String number) {
    require(
        (number == null) == (window == null),
        "generation " + generation + " has the bucket " + number);
    if (number == null || window == null) {
      return null;
    }
    long bucket = Long.parseLong(number);
    require(bucket <= MOST_BUCKETS, "generation " + generation + " has the bucket " + number);
    return new Bucket(bucket, window.buckets());
  }

  private static void requireAfter(List<GenerationRecord> older, GenerationRecord next) {
    if (older.isEmpty()) {
      return;
    }
    GenerationRecord last = older.get(older.size() - 1);
    boolean inOrder =
        next.number() > last.number()
            && next.sinceSeq() >= last.sinceSeq()
            && (next.bucket() == null
                || last.bucket() == null
                || next.bucket().number() >= last.bucket().number());
    require(
        inOrder, "generation " + next.number() + " does not follow generation " + last.number());
  }

  private static void requireWithin(Manifest manifest, GenerationRecord generation) {
    boolean within =
        generation.number() < manifest.next()
            && generation.sinceSeq() >= manifest.begins()
            && generation.sinceSeq() <= manifest.seq()
            && generation.cutoverSeq() <= manifest.seq()
            && (generation.cutoverSeq() == 0 || generation.cutoverSeq() > generation.sinceSeq());
    require(
        within, "generation " + generation.number() + " is not one of those that began by then");
  }

  private static void require(boolean possible, String otherwise) {
    if (!possible) {
      throw new InvalidParameterException(otherwise);
    }
  }
}
