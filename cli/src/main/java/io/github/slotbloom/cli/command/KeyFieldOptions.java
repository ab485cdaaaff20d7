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
          "The key is field N, counted from 1 and separated by spaces and tabs as in awk. Lines"
              + " without it have no key. Default: the key is the whole line.")
  private @Nullable Integer number;

  @Option(
      names = "--delimiter",
      paramLabel = "TEXT",
      description =
          "What separates fields instead, each time it occurs; \\t is a tab. An empty field counts"
              + " as missing.")
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
              + "' is not the number of a field; a key of several fields has to be put into one"
              + " first, for instance with awk");
    }
  }

  KeyField field() {
    return new KeyField(number, delimiter);
  }
}
