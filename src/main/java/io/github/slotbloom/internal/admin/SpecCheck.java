package io.github.slotbloom.internal.admin;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Compares what a filter was created with to what it is opened with. What it does when it is full,
 * and when it expires, may change without harm to anyone, so that is not compared.
 */
public final class SpecCheck {

  private SpecCheck() {}

  public static void requireKeyType(FilterRecord stored, KeyType<?> keyType) {
    if (!stored.keyType().equals(keyType.id())) {
      throw new FilterMismatchException(
          "Filter %s has keys of the type %s, but was opened with the key type %s. Open it with %s."
              .formatted(stored.name(), stored.keyType(), keyType.id(), stored.keyType()));
    }
  }

  public static void requireMatch(FilterRecord stored, FilterSpec<?> spec) {
    requireKeyType(stored, spec.keyType());
    List<String> differences = new ArrayList<>();
    boolean grew = stored.hasGrown();
    boolean asBefore = stored.generations().get(0).capacity() == spec.capacity();
    if (stored.window() != null || spec.window().isPresent()) {
      compare(differences, "window", text(stored.window()), text(spec.window().orElse(null)));
    } else if (!grew || (!asBefore && stored.capacity() < spec.capacity())) {
      compare(differences, "capacity", stored.capacity(), spec.capacity());
    }
    compare(
        differences, "false positive rate", stored.falsePositiveRate(), spec.falsePositiveRate());
    compare(differences, "layout", stored.layout(), spec.layout());
    compare(differences, "hash", stored.hash(), spec.hash().id());
    compareSeeds(differences, stored, spec);
    compare(differences, "growable", stored.growable(), spec.growable());
    compare(differences, "retain hashes", stored.retainHashes(), spec.retainHashes());
    compare(differences, "removable", stored.removable(), spec.removablePercent().isPresent());
    if (differences.isEmpty() && !grew && stored.window() == null && !stored.growable()) {
      compare(differences, "size", stored.generations().get(0).parameters(), spec.parameters());
    }
    if (!differences.isEmpty()) {
      throw new FilterMismatchException(
          ("Filter %s was created with other parameters than it was opened with: %s. Use the"
                  + " parameters that it was created with, or another name.%s")
              .formatted(
                  stored.name(),
                  String.join("; ", differences),
                  stored.capacity() < spec.capacity() && stored.window() == null
                      ? (" To raise its capacity, grow it (slotbloom grow %s --capacity %s, or"
                              + " FilterAdmin.grow).")
                          .formatted(stored.name(), spec.capacity())
                      : ""));
    }
  }

  private static String text(@Nullable Window window) {
    return window == null
        ? "none"
        : "%s in %s buckets%s"
            .formatted(window.length(), window.buckets(), window.renews() ? ", renewed" : "");
  }

  /** A seed that was drawn at random is compared with none. */
  private static void compareSeeds(
      List<String> differences, FilterRecord stored, FilterSpec<?> spec) {
    OptionalLong requested = spec.seed();
    if (requested.isEmpty() || requested.getAsLong() == stored.seed().value()) {
      return;
    }
    if (stored.seed().secret() || spec.hash().isKeyed()) {
      differences.add("the seeds differ (neither is shown)");
    } else {
      compare(differences, "seed", stored.seed().value(), requested.getAsLong());
    }
  }

  private static void compare(
      List<String> differences, String what, Object stored, Object requested) {
    if (!stored.equals(requested)) {
      differences.add(what + " is " + stored + ", not " + requested);
    }
  }
}
