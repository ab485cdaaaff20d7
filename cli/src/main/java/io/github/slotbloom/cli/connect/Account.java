package io.github.slotbloom.cli.connect;

/** The accounts that a command may be given, each with options and variables of its own. */
public enum Account {
  /** Of the database that holds the filters. */
  FILTERS("--", "SLOTBLOOM_"),

  /** Of the database that a query takes the keys of a filter from. */
  SOURCE("--source-", "SLOTBLOOM_SOURCE_");

  private final String options;
  private final String variables;

  Account(String options, String variables) {
    this.options = options;
    this.variables = variables;
  }

  String url() {
    return options + "url";
  }

  String user() {
    return options + "user";
  }

  /** The option that asks. */
  public String password() {
    return options + "password";
  }

  String passwordFile() {
    return options + "password-file";
  }

  public String urlVariable() {
    return variables + "URL";
  }

  String userVariable() {
    return variables + "USER";
  }

  String passwordVariable() {
    return variables + "PASSWORD";
  }

  String passwordFileVariable() {
    return variables + "PASSWORD_FILE";
  }
}
