package io.github.slotbloom.cli.connect;

/** The accounts that a command can take. Each has its own options and variables. */
public enum Account {
  /** The account for the database that holds the filters. */
  FILTERS("--", "SLOTBLOOM_"),

  /** The account for the database that a query reads keys from. */
  SOURCE("--source-", "SLOTBLOOM_SOURCE_"),

  /** The account that Redis clients use. */
  CLIENTS("--client-", "SLOTBLOOM_CLIENT_");

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

  /** Returns the option that asks for the password. */
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
