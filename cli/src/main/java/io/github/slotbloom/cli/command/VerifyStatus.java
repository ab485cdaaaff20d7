package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.terminal.ProgressBar;
import io.github.slotbloom.cli.text.ChoiceName;
import io.github.slotbloom.report.VerifyProgress;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Describes the progress of verifying for a status line. Thread-safe. */
final class VerifyStatus implements Consumer<VerifyProgress>, Supplier<String> {

  private final AtomicReference<@Nullable VerifyProgress> latest = new AtomicReference<>();

  @Override
  public void accept(VerifyProgress progress) {
    latest.set(progress);
  }

  @Override
  public String get() {
    VerifyProgress now = latest.get();
    if (now == null) {
      return "Verifying ...";
    }
    String bar = now.all() > 0 ? ProgressBar.of((double) now.done() / now.all()) : "";
    return bar
        + String.format(
            Locale.ROOT, "%s: %,d", ChoiceName.of(now.check()).replace('-', ' '), now.done());
  }
}
