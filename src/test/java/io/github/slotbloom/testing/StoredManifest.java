package io.github.slotbloom.testing;

import java.sql.SQLException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The manifest in the row of a filter. A test changes its text as somebody would by hand. */
public final class StoredManifest {

  /** In place of the number of a generation: what is said of all. */
  public static final int WHOLE = 0;

  private final Sql sql;
  private final String filter;

  public StoredManifest(Sql sql, String filter) {
    this.sql = sql;
    this.filter = filter;
  }

  public String text() throws SQLException {
    return sql.text("SELECT manifest FROM bloom_filter WHERE name = ?", filter);
  }

  public void write(String text) throws SQLException {
    sql.run("UPDATE bloom_filter SET manifest = ? WHERE name = ?", text, filter);
  }

  /** Returns the numbers of its generations, in its order. */
  public List<Integer> generations() throws SQLException {
    return Pattern.compile("\\{\"generation\":(\\d+)")
        .matcher(text())
        .results()
        .map(generation -> Integer.parseInt(generation.group(1)))
        .toList();
  }

  /** Returns the names of the fields of a generation, but for its number. */
  public List<String> fields(int generation) throws SQLException {
    return Pattern.compile("\"(\\w+)\":")
        .matcher(find(generation, "").group())
        .results()
        .map(field -> field.group(1))
        .filter(field -> !field.startsWith("generation"))
        .toList();
  }

  /** Returns what a field of a generation says. */
  public String value(int generation, String field) throws SQLException {
    return find(generation, field).group("value");
  }

  /** Writes another value of a field of a generation. */
  public void set(int generation, String field, Object value) throws SQLException {
    Matcher found = find(generation, field);
    StringBuilder changed = new StringBuilder(text());
    write(changed.replace(found.start("value"), found.end("value"), value.toString()).toString());
  }

  /** Adds to a number of a generation. */
  public void add(int generation, String field, long more) throws SQLException {
    set(generation, field, Long.parseLong(value(generation, field)) + more);
  }

  /** Takes fields of a generation away, from the first to the last one of these. */
  public void cut(int generation, String first, String last) throws SQLException {
    StringBuilder changed = new StringBuilder(text());
    write(
        changed
            .delete(find(generation, first).start("field"), find(generation, last).end())
            .toString());
  }

  /** Takes a generation away. */
  public void remove(int generation) throws SQLException {
    Matcher found = find(generation, "");
    write(
        text().replace(found.group(), "").replace("[,", "[").replace(",,", ",").replace(",]", "]"));
  }

  /** Finds a generation, or one of its fields if that has a name. */
  private Matcher find(int generation, String field) throws SQLException {
    String begin =
        generation == WHOLE ? "^\\{[^\\[]*?" : "\\{\"generation\":" + generation + "(?=,)[^}]*?";
    String last = generation == WHOLE ? "\\[" : "\\}";
    String end = field.isEmpty() ? last : "(?<field>,?\"" + field + "\":(?<value>[^,}]*))";
    Matcher found = Pattern.compile(begin + end).matcher(text());
    if (!found.find()) {
      throw new IllegalArgumentException("no " + field + " of " + generation + " in " + text());
    }
    return found;
  }
}
