package io.github.slotbloom.spring.boot;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.Freshness;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.spring.boot.FilterProperties.WindowProperties;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** A filter as its properties declare it. What is wrong with them is told by their names. */
final class DeclaredFilter {

  private final String prefix;
  private final String bean;
  private final String name;
  private final FilterProperties properties;

  /**
   * Checks the name.
   *
   * @param key the name in the properties
   */
  DeclaredFilter(String key, FilterProperties properties) {
    this.prefix = SlotBloomProperties.FILTERS + "." + key;
    this.bean = key.replace('-', '_');
    this.name = Objects.requireNonNullElse(properties.name(), bean);
    this.properties = properties;
    check(properties.name() == null ? null : "name", name, () -> new FilterName(name));
  }

  /** Returns the name of the bean. */
  String bean() {
    return bean;
  }

  /** Returns the name in the database. */
  String name() {
    return name;
  }

  FilterKeyType keyType() {
    return properties.keyType();
  }

  /** Returns the first part of the names of its properties. */
  String prefix() {
    return prefix;
  }

  FilterSpec.Builder<?> spec() {
    Long capacity = properties.capacity();
    if (capacity == null) {
      throw missing("capacity", "the number of distinct keys that the filter is sized for");
    }
    FilterSpec.Builder<?> spec =
        FilterSpec.builder(properties.keyType().keyType()).capacity(capacity);
    set(properties.falsePositiveRate(), spec::falsePositiveRate);
    set(properties.layout(), spec::layout);
    set(properties.hash(), spec::hash);
    set(properties.onFull(), spec::onFull);
    if (properties.fixed()) {
      spec.fixed();
    }
    if (properties.retainHashes()) {
      spec.retainHashes();
    }
    window(spec);
    return spec;
  }

  /** Builds what {@link #spec} began. */
  <K> FilterSpec<K> build(FilterSpec.Builder<K> spec) {
    Integer removable = properties.removablePercent();
    if (removable == null) {
      return spec.build();
    }
    if (removable < 1 || removable > 100) {
      throw wrong("removable-percent", removable, "Use a number from 1 to 100.", null);
    }
    return spec.buildRemovable(removable);
  }

  private void window(FilterSpec.Builder<?> spec) {
    WindowProperties window = properties.window();
    if (window == null) {
      return;
    }
    Duration length = window.length();
    if (length == null) {
      throw missing("window.length", "the time for which a key is found at least, such as 7d");
    }
    check("window", length, () -> spec.window(length, window.buckets()));
    if (window.renew()) {
      spec.renew();
    }
  }

  private static <T> void set(@Nullable T value, Consumer<T> setter) {
    if (value != null) {
      setter.accept(value);
    }
  }

  FilterOptions options() {
    FilterOptions options = FilterOptions.defaults().freshness(freshness());
    if (!properties.mirror()) {
      options = options.withoutMirror();
    }
    options = set("timeout", properties.timeout(), options, FilterOptions::timeout);
    options =
        set("queue-capacity", properties.queueCapacity(), options, FilterOptions::queueCapacity);
    options = set("backlog-limit", properties.backlogLimit(), options, FilterOptions::backlogLimit);
    options =
        set(
            "when-unavailable",
            properties.whenUnavailable(),
            options,
            FilterOptions::whenUnavailable);
    return set("warn-at", properties.warnAt(), options, FilterOptions::warnAt);
  }

  private Freshness freshness() {
    String freshness = properties.freshness();
    if (freshness.equals("strict")) {
      return Freshness.strict();
    }
    try {
      return Freshness.bounded(DurationStyle.detectAndParse(freshness));
    } catch (IllegalArgumentException | InvalidParameterException e) {
      throw wrong("freshness", freshness, "Use strict, or a duration such as 500ms.", e);
    }
  }

  @FunctionalInterface
  private interface Setter<T> {
    FilterOptions set(FilterOptions options, T value);
  }

  private <T> FilterOptions set(
      String property, @Nullable T value, FilterOptions options, Setter<T> setter) {
    return value == null ? options : check(property, value, () -> setter.set(options, value));
  }

  /** Returns what is made of a value, or tells its property. */
  private <R> R check(@Nullable String property, Object value, Supplier<R> made) {
    try {
      return made.get();
    } catch (InvalidParameterException e) {
      throw wrong(property, value, e.getMessage(), e);
    }
  }

  private FilterPropertyException wrong(
      @Nullable String property,
      Object value,
      @Nullable String remedy,
      @Nullable RuntimeException cause) {
    return new FilterPropertyException(
        property == null ? prefix : prefix + "." + property,
        "the value is '%s'.".formatted(value),
        remedy == null ? "Use another value." : remedy,
        cause);
  }

  private FilterPropertyException missing(String property, String what) {
    return new FilterPropertyException(
        prefix + "." + property, "there is no value.", "Give " + what + ".", null);
  }
}
