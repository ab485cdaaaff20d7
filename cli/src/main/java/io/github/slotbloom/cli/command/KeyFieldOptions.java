package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.line.KeyField;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that choose the part of a line that is the key. */
final class KeyFieldOptions {

  @Option(
      names = "--key-field",
      paramLabel = "N",
      converter = FieldNumber.class,
      description =
          "Use field N as the key. Fields count from 1 and are separated by spaces and tabs, as in"
              + " awk. Lines without this field have no key. Default: the whole line.")
  private @Nullable Integer number;

  @Option(
      names = "--delimiter",
      paramLabel = "TEXT",
      description =
          "Separate fields at each occurrence of this text instead; \\t is a tab. An empty field"
              + " counts as missing.")
  private @Nullable String delimiter;

  private static final class FieldNumber implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String value) {
      if (value.matches("[0-9]{1,9}")) {
        return Integer.valueOf(value);
      }
      throw new TypeConversionException(
          "'"
              + value
              + "' is not a field number; to use several fields as the key, join them into one"
              + " first, for instance with awk");
    }
  }

  KeyField field() {
    return new KeyField(number, delimiter);
  }
}
