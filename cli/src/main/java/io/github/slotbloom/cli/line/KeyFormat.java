package io.github.slotbloom.cli.line;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.slotbloom.cli.terminal.Wording;
import io.github.slotbloom.core.KeyType;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The format of keys in lines and arguments.
 *
 * @param <K> the type of the keys
 */
public final class KeyFormat<K> {

  private static final int MOST_SHOWN = 60;

  /** Digits of other scripts are none here: a program would write another number for them. */
  private static final Pattern DIGITS = Pattern.compile("[-+]?[0-9]+");

  /**
   * Text, kept as the original bytes. Valid UTF-8 equals the key that a program adds as a String.
   * Other bytes are also keys, but no String equals them.
   */
  public static final KeyFormat<byte[]> TEXT =
      new KeyFormat<>("text", KeyType.textBytes(), written -> requireShort(written));

  private static final Map<String, KeyFormat<?>> BY_NAME =
      Map.of(
          TEXT.name,
          TEXT,
          "long",
          new KeyFormat<>("long", KeyType.longs(), KeyFormat::parseLong),
          "hex",
          new KeyFormat<>("hex", KeyType.bytes(), KeyFormat::parseHex));

  private final String name;
  private final KeyType<K> type;
  private final Parser<K> parser;

  private KeyFormat(String name, KeyType<K> type, Parser<K> parser) {
    this.name = name;
    this.type = type;
    this.parser = parser;
  }

  public KeyType<K> type() {
    return type;
  }

  /**
   * Returns the key that these bytes represent.
   *
   * @throws BadKeyException if they represent none
   */
  public K parse(byte[] written) throws BadKeyException {
    return parser.parse(written);
  }

  /** Returns a message with the option that reads keys of the stored type. */
  public static String remedyFor(String storedType) {
    return BY_NAME.values().stream()
        .filter(format -> format.type.id().equals(storedType))
        .findFirst()
        .map(format -> "use --key-type " + format.name)
        .orElse("only programs that define this type can add to it");
  }

  private static byte[] requireShort(byte[] key) throws BadKeyException {
    if (key.length > KeyType.MAX_KEY_BYTES) {
      throw new BadKeyException(
          "the key has "
              + key.length
              + " bytes, and at most "
              + KeyType.MAX_KEY_BYTES
              + " are allowed; if the key is only a part of the line, name it with --key-field");
    }
    return key;
  }

  private static Long parseLong(byte[] written) throws BadKeyException {
    String text = new String(written, UTF_8);
    boolean number = DIGITS.matcher(text).matches();
    try {
      if (number) {
        return Long.valueOf(text);
      }
    } catch (NumberFormatException e) {
      // Out of range.
    }
    throw new BadKeyException(
        shown(text)
            + " is not a whole number from -2^63 to 2^63 - 1 (--key-type long)"
            + (number ? "; a filter with the key type text takes any number" : "")
            + (text.endsWith("\r")
                ? "; the lines end with CR LF: remove the CR with tr -d '\\r'"
                : ""));
  }

  private static byte[] parseHex(byte[] written) throws BadKeyException {
    String text = new String(written, UTF_8);
    try {
      return requireShort(HexFormat.of().parseHex(text));
    } catch (IllegalArgumentException e) {
      throw new BadKeyException(
          shown(text)
              + " is not a sequence of hexadecimal bytes, two digits each (--key-type hex)");
    }
  }

  private static String shown(String text) {
    String printable = Wording.printable(text.replace("\r", "\\r"));
    return printable.length() <= MOST_SHOWN
        ? "'" + printable + "'"
        : "'" + printable.substring(0, MOST_SHOWN) + "...'";
  }

  @FunctionalInterface
  private interface Parser<K> {
    K parse(byte[] written) throws BadKeyException;
  }

  /** The candidates for shell completion. */
  public static final class Names extends ArrayList<String> {
    private static final long serialVersionUID = 1L;

    Names() {
      super(List.of("text", "long", "hex"));
    }
  }

  /** Reads the name of a format. */
  public static final class Converter implements ITypeConverter<KeyFormat<?>> {

    @Override
    public KeyFormat<?> convert(String value) {
      KeyFormat<?> format = BY_NAME.get(value);
      if (format == null) {
        throw new TypeConversionException(
            "'" + value + "' is not one of " + String.join(", ", new Names()));
      }
      return format;
    }
  }
}
