package io.github.slotbloom.internal.verify;

import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.InvalidKeyException;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.admin.HashSource;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.Finding.Severity;
import io.github.slotbloom.report.VerifyReport;
import io.github.slotbloom.report.VerifyReport.Unchecked;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Verifies a filter, also one whose catalog rows cannot be read. */
public final class Verifying {

  private final FilterDirectory directory;
  private final FilterEngines engines;

  public Verifying(FilterDirectory directory, FilterEngines engines) {
    this.directory = directory;
    this.engines = engines;
  }

  /**
   * Verifies one, and repairs it if the options say so.
   *
   * @param keys that have to be in the filter; null if none were given
   */
  public VerifyReport verify(FilterName name, VerifyOptions options, @Nullable HashSource keys) {
    FilterRecord filter;
    try {
      filter = directory.require(name);
    } catch (CorruptFilterException e) {
      return unreadable(name, e);
    }
    if (keys != null) {
      keys.requireFits().accept(filter);
    }
    return new Verification(
            engines.context(filter), options, given(filter, keys), FilterDirectory.STEP_TIMEOUT)
        .run();
  }

  private @Nullable GivenKeys given(FilterRecord filter, @Nullable HashSource keys) {
    return keys == null ? null : new GivenKeys(keys.description(), () -> open(filter, keys));
  }

  private LongStream open(FilterRecord filter, HashSource keys) {
    try {
      return keys.opener().open(directory, filter);
    } catch (SlotBloomException e) {
      throw e;
    } catch (Exception e) {
      InvalidKeyException failure =
          new InvalidKeyException(
              "The keys to verify filter "
                  + filter.name()
                  + " with, "
                  + keys.description()
                  + ", could not be read: "
                  + e
                  + ". Mend that, and verify again.");
      failure.initCause(e);
      throw failure;
    }
  }

  private static VerifyReport unreadable(FilterName name, CorruptFilterException e) {
    return new VerifyReport(
        name.value(),
        0,
        0,
        0,
        List.of(),
        Arrays.stream(Check.values())
            .filter(check -> check != Check.PARAMETERS)
            .map(check -> new Unchecked(check, "The catalog rows of the filter cannot be right."))
            .toList(),
        List.of(
            new Finding(
                Severity.DAMAGE,
                Kind.PARAMETERS,
                null,
                null,
                null,
                null,
                Objects.requireNonNullElse(e.getMessage(), e.toString()),
                "rows as Slotbloom stores them",
                "Put the row back as it was, or restore the bloom_ tables from one backup.")),
        Map.of(),
        null,
        List.of(),
        List.of());
  }
}
