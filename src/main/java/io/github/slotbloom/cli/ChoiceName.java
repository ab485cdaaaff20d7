package io.github.slotbloom.cli;

import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.WriteMode;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a choice as arguments have it: {@code write-through} is WRITE_THROUGH. */
abstract sealed class ChoiceName<E extends Enum<E>> implements ITypeConverter<E> {

  private final Class<E> choices;

  private ChoiceName(Class<E> choices) {
    this.choices = choices;
  }

  static String of(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  @Override
  public E convert(String value) {
    return Arrays.stream(choices.getEnumConstants())
        .filter(choice -> of(choice).equals(value))
        .findFirst()
        .orElseThrow(() -> new TypeConversionException("'" + value + "' is none of " + all()));
  }

  private String all() {
    return Arrays.stream(choices.getEnumConstants())
        .map(ChoiceName::of)
        .collect(Collectors.joining(", "));
  }

  static final class OfLayout extends ChoiceName<Layout> {
    OfLayout() {
      super(Layout.class);
    }
  }

  static final class OfWriteMode extends ChoiceName<WriteMode> {
    OfWriteMode() {
      super(WriteMode.class);
    }
  }
}
