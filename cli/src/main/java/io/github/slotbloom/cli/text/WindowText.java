package io.github.slotbloom.cli.text;

import io.github.slotbloom.FilterInfo.Bucket;
import io.github.slotbloom.core.Window;
import java.util.LinkedHashMap;
import java.util.Map;

/** Writes how long keys of a filter are found. */
public final class WindowText {

  private WindowText() {}

  /** Returns it in a few words. */
  public static String of(Window window) {
    return "%s in %s %s of %s%s"
        .formatted(
            TimeSpan.of(window.length()),
            window.buckets(),
            window.buckets() == 1 ? "bucket" : "buckets",
            TimeSpan.of(window.bucketLength()),
            window.renews() ? ", renewed" : "");
  }

  /** Returns it for JSON. */
  public static Map<String, Object> figures(Window window) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("seconds", window.length().toMillis() / 1000.0);
    figures.put("buckets", window.buckets());
    figures.put("renews", window.renews());
    return figures;
  }

  /** Returns a bucket for JSON. */
  public static Map<String, Object> figures(Bucket bucket) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("begin", bucket.begin().toString());
    figures.put("end", bucket.end().toString());
    figures.put("expiresAt", bucket.expiresAt().toString());
    figures.put("over", bucket.over());
    figures.put("keys", bucket.keys());
    return figures;
  }
}
