package io.github.slotbloom.cli.text;

import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.OnFull;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a choice as arguments write it: {@code refuse} is REFUSE. */
public abstract sealed class ChoiceName<E extends Enum<E>> implements ITypeConverter<E> {

  private final Class<E> choices;

  private ChoiceName(Class<E> choices) {
    this.choices = choices;
  }

  public static String of(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  @Override
  public E convert(String value) {
    return Arrays.stream(choices.getEnumConstants())
        .filter(choice -> of(choice).equals(value))
        .findFirst()
        .orElseThrow(() -> new TypeConversionException("'" + value + "' is not one of " + all()));
  }

  private String all() {
    return String.join(", ", names(choices.getEnumConstants()));
  }

  private static List<String> names(Enum<?>[] choices) {
    return Arrays.stream(choices).map(ChoiceName::of).toList();
  }

  /** The candidates for shell completion. */
  public static final class Layouts extends ArrayList<String> {
    private static final long serialVersionUID = 1L;

    Layouts() {
      super(names(Layout.values()));
    }
  }

  /** The candidates for shell completion. */
  public static final class OnFulls extends ArrayList<String> {
    private static final long serialVersionUID = 1L;

    OnFulls() {
      super(names(OnFull.values()));
    }
  }

  public static final class OfLayout extends ChoiceName<Layout> {
    OfLayout() {
      super(Layout.class);
    }
  }

  public static final class OfOnFull extends ChoiceName<OnFull> {
    OfOnFull() {
      super(OnFull.class);
    }
  }
}
