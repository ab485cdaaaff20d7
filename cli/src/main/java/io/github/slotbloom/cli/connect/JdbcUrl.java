package io.github.slotbloom.cli.connect;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.slotbloom.cli.Surroundings;
import io.github.slotbloom.cli.UsageException;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A JDBC URL, split into an address that may be shown and an account that may not. The driver
 * receives the account separately, so no message of any library can contain the password.
 *
 * @param account the account that the URL belongs to
 * @param address the URL without user, password and other secrets
 * @param secrets the properties that hold passwords of key stores and similar secrets
 */
public record JdbcUrl(
    Account account,
    String address,
    @Nullable String user,
    @Nullable String password,
    Map<String, String> secrets) {

  private static final String PREFIX = "jdbc:mysql://";
  private static final Pattern ACCOUNT =
      Pattern.compile(
          PREFIX + "(?:(?<user>[^:,@/?()]*)(?::(?<password>[^,@/?()]*))?@)?(?<rest>.*)");

  /** The options of the driver that hold secrets; it takes their names in any case. */
  private static final Set<String> SECRETS =
      Set.of(
          "password1",
          "password2",
          "password3",
          "clientcertificatekeystorepassword",
          "trustcertificatekeystorepassword");

  private static final Pattern PASSWORD_OF_HOST =
      Pattern.compile("password[123]?\\s*=", Pattern.CASE_INSENSITIVE);

  /** Several hosts without properties of their own. */
  private static final Pattern HOSTS =
      Pattern.compile(PREFIX + "(?<hosts>[^/()]+(?:,[^/()]+)+)(?<rest>/.*)");

  /**
   * Parses a URL that other users of the machine can read.
   *
   * @throws UsageException as {@link #parse} does, and if the URL holds a secret
   */
  public static JdbcUrl ofArgument(String url, Account account) {
    JdbcUrl parsed = parse(url, account);
    if (parsed.password != null || !parsed.secrets.isEmpty()) {
      throw new UsageException(
          "A password in "
              + account.url()
              + " can be read by all users of this machine; remove it and use "
              + account.passwordFile()
              + " or set "
              + account.passwordVariable()
              + ", or put the URL into "
              + account.urlVariable()
              + ".");
    }
    return parsed;
  }

  /**
   * Parses a URL.
   *
   * @throws UsageException if the URL is not for MySQL, or if its password cannot be separated
   */
  public static JdbcUrl parse(String url, Account account) {
    if (url.startsWith("jdbc:mariadb:")) {
      throw new UsageException(
          "The URL begins with jdbc:mariadb:, but the driver is MySQL's, which connects to MariaDB"
              + " too: write jdbc:mysql:// instead, with the options of MySQL Connector/J.");
    }
    Matcher parts = ACCOUNT.matcher(url);
    if (!parts.matches()) {
      // This rejects jdbc:mysql:replication: and other forms that would read from a server that
      // nobody writes to.
      throw new UsageException(
          "The URL must begin with jdbc:mysql:// (for MariaDB too), such as"
              + " jdbc:mysql://localhost:3306/slotbloom.");
    }
    String user = decoded(parts.group("user"));
    String password = decoded(parts.group("password"));
    String rest = parts.group("rest");
    int query = rest.indexOf('?');
    String address = PREFIX + (query < 0 ? rest : rest.substring(0, query));
    if (!address.matches("[^/]*//[^/]*/.+")) {
      throw new UsageException(
          "The URL names no schema; add one at the end, as in"
              + " jdbc:mysql://localhost:3306/slotbloom.");
    }
    List<String> properties = new ArrayList<>();
    Map<String, String> secrets = new LinkedHashMap<>();
    for (String property : query < 0 ? new String[0] : rest.substring(query + 1).split("&")) {
      String name = decodedValue(property.replaceFirst("=.*", ""));
      String value = property.substring(property.indexOf('=') + 1);
      if (name.equalsIgnoreCase("user")) {
        user = decoded(value);
      } else if (name.equalsIgnoreCase("password")) {
        password = decoded(value);
      } else if (SECRETS.contains(name.toLowerCase(Locale.ROOT))) {
        secrets.put(name, decodedValue(value));
      } else {
        properties.add(property);
      }
    }
    if (!properties.isEmpty()) {
      address += "?" + String.join("&", properties);
    }
    String hosts = address.substring(PREFIX.length(), address.indexOf('/', PREFIX.length()));
    if (hosts.contains("@") || PASSWORD_OF_HOST.matcher(hosts).find()) {
      throw new UsageException(
          "The URL contains a password in a place where messages could show it; remove it and set "
              + account.passwordVariable()
              + " or use "
              + account.passwordFile()
              + ".");
    }
    return new JdbcUrl(account, address, user, password, secrets);
  }

  private static @Nullable String decoded(@Nullable String part) {
    return part == null ? null : decodedValue(part);
  }

  private static String decodedValue(String part) {
    // A plus sign stands for itself in these URLs.
    try {
      return URLDecoder.decode(part.replace("+", "%2B"), UTF_8);
    } catch (IllegalArgumentException e) {
      // The message of the exception would show a part of the password.
      throw new UsageException(
          "The account in the URL contains a % without two hexadecimal digits after it; write a"
              + " percent sign as %25.");
    }
  }

  /**
   * Returns this URL with the user and password from the arguments, or else from the environment.
   */
  public JdbcUrl withGiven(
      @Nullable String userArgument, PasswordInput passwordInput, Surroundings surroundings) {
    String givenUser =
        userArgument != null
            ? userArgument
            : surroundings.environment().get(account.userVariable());
    String givenPassword = passwordInput.password(surroundings);
    return new JdbcUrl(
        account,
        address,
        givenUser != null ? givenUser : user,
        givenPassword != null ? givenPassword : password,
        secrets);
  }

  /**
   * Returns the address of each server, if this one has the form {@code jdbc:mysql://a,b/schema};
   * otherwise only itself.
   */
  public List<String> servers() {
    Matcher parts = HOSTS.matcher(address);
    if (!parts.matches()) {
      return List.of(address);
    }
    return Stream.of(parts.group("hosts").split(","))
        .map(host -> PREFIX + host + parts.group("rest"))
        .toList();
  }

  /** Returns the name of the database for messages: the address without properties. */
  public String shown() {
    int query = address.indexOf('?');
    return query < 0 ? address : address.substring(0, query);
  }

  @Override
  public String toString() {
    return address;
  }
}
