package io.github.slotbloom.cli.command;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.cli.text.Percentage;
import java.util.Map;
import java.util.Stack;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The option to make a filter that keys can be removed from. */
final class RemovableOption {

  private static final String DEFAULT_PERCENT = "" + FilterSpec.DEFAULT_REMOVABLE_PERCENT;

  @Option(
      names = "--removable",
      arity = "0..1",
      paramLabel = "PERCENT",
      converter = Percentage.class,
      preprocessor = OnlyAttached.class,
      description =
          "Allow removing keys (slotbloom remove). A filter with --retain-hashes is rebuilt once"
              + " removed keys reach this percentage of its capacity. Default: "
              + DEFAULT_PERCENT
              + ".")
  private @Nullable Integer percent;

  boolean given() {
    return percent != null;
  }

  <K> FilterSpec<K> build(FilterSpec.Builder<K> spec) {
    return percent == null ? spec.build() : spec.buildRemovable(percent);
  }

  /** Takes the value behind the equals sign alone, since the next argument may be a name. */
  static final class OnlyAttached implements IParameterPreprocessor {
    @Override
    public boolean preprocess(
        Stack<String> arguments, CommandSpec command, ArgSpec option, Map<String, Object> info) {
      if (!"=".equals(info.get("separator"))) {
        arguments.push(DEFAULT_PERCENT);
      }
      return false;
    }
  }
}
