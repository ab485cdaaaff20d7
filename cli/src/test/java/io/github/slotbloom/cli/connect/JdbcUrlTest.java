package io.github.slotbloom.cli.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;

import io.github.slotbloom.cli.UsageException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcUrlTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "jdbc:mysql://db:3306/app|jdbc:mysql://db:3306/app||",
        "jdbc:mysql://me@db/app|jdbc:mysql://db/app|me|",
        "jdbc:mysql://me:hush@db:3306/app|jdbc:mysql://db:3306/app|me|hush",
        "jdbc:mysql://me:hu%40s%2Fh+x@db/app|jdbc:mysql://db/app|me|hu@s/h+x",
        "jdbc:mysql://db/app?user=me&password=hush|jdbc:mysql://db/app|me|hush",
        "jdbc:mysql://db/app?a=1&password=hu%26sh&b=2|jdbc:mysql://db/app?a=1&b=2||hu&sh",
        "jdbc:mysql://a:1,b:2/app?x=y|jdbc:mysql://a:1,b:2/app?x=y||",
        "jdbc:mysql://(host=db,port=1)/app|jdbc:mysql://(host=db,port=1)/app||",
        "jdbc:mysql://db/password_vault|jdbc:mysql://db/password_vault||",
        "jdbc:mysql://db/a?disconnectOnExpiredPasswords=false|jdbc:mysql://db/a?disconnectOnExpiredPasswords=false||",
        "jdbc:mysql://db/a?defaultAuthenticationPlugin=caching_sha2_password|jdbc:mysql://db/a?defaultAuthenticationPlugin=caching_sha2_password||",
        "jdbc:mysql://db/a?sessionVariables=@a=1|jdbc:mysql://db/a?sessionVariables=@a=1||",
        "jdbc:mysql://db/a?Password=hush|jdbc:mysql://db/a||hush",
      })
  void theAccountIsSeparatedFromTheAddress(
      String url, String address, String user, String password) {
    assertThat(JdbcUrl.parse(url, Account.FILTERS))
        .isEqualTo(new JdbcUrl(Account.FILTERS, address, user, password, Map.of()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "jdbc:mysql://a:1,b:2/app?x=y,z|jdbc:mysql://a:1/app?x=y,z jdbc:mysql://b:2/app?x=y,z",
        "jdbc:mysql://[::1]:1,b/app|jdbc:mysql://[::1]:1/app jdbc:mysql://b/app",
        "jdbc:mysql://db:1/app?x=y,z|jdbc:mysql://db:1/app?x=y,z",
        "jdbc:mysql://(host=a),(host=b)/app|jdbc:mysql://(host=a),(host=b)/app",
      })
  void hostsThatAreListedAreSeveralServers(String url, String servers) {
    assertThat(JdbcUrl.parse(url, Account.FILTERS).servers()).containsExactly(servers.split(" "));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:mysql://me:hu@sh@db/app",
        "jdbc:mysql://(host=db,user=me,password=hush)/app",
        "jdbc:mysql://a:1,me:hush@b:2/app",
        "jdbc:mysql://address=(host=db)(Password=hush)/app",
      })
  void aPasswordThatCannotBeSeparatedIsRefusedAndNotShown(String url) {
    assertThatExceptionOfType(UsageException.class)
        .isThrownBy(() -> JdbcUrl.parse(url, Account.FILTERS))
        .satisfies(
            e ->
                assertThat(e)
                    .hasMessageContaining("SLOTBLOOM_PASSWORD")
                    .hasMessageNotContaining("hush")
                    .hasMessageNotContaining("hu@sh"));
  }

  @Test
  void passwordsOfKeyStoresAreSeparatedToo() {
    String url = "jdbc:mysql://db/app?trustCertificateKeyStorePassword=hu%3Dsh&a=1";
    JdbcUrl parsed = JdbcUrl.parse(url, Account.FILTERS);

    assertThat(parsed.address()).isEqualTo("jdbc:mysql://db/app?a=1");
    assertThat(parsed.secrets())
        .containsExactly(entry("trustCertificateKeyStorePassword", "hu=sh"));
    assertThatExceptionOfType(UsageException.class)
        .isThrownBy(() -> JdbcUrl.ofArgument(url, Account.SOURCE))
        .withMessageContainingAll("--source-url", "--source-password-file")
        .withMessageNotContaining("hu");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"jdbc:mysql://me:100%hush@db/app", "jdbc:mysql://db/app?password=100%hush"})
  void anErrorOverAPercentSignDoesNotShowTheRestOfTheUrl(String url) {
    assertThatExceptionOfType(UsageException.class)
        .isThrownBy(() -> JdbcUrl.parse(url, Account.FILTERS))
        .withNoCause()
        .satisfies(e -> assertThat(e).hasMessageContaining("%25").hasMessageNotContaining("hu"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://db/app",
        "jdbc:mysql:replication://a,b/app",
        "jdbc:mysql:loadbalance://a,b/app",
        "db:3306"
      })
  void onlyMySqlUrlsAreAccepted(String url) {
    assertThatExceptionOfType(UsageException.class)
        .isThrownBy(() -> JdbcUrl.parse(url, Account.FILTERS))
        .withMessageContaining("jdbc:mysql://");
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc:mysql://me:hush@db/app?x=1", "jdbc:mysql://db/app?password=hush"})
  void neitherTextShowsThePassword(String url) {
    JdbcUrl parsed = JdbcUrl.parse(url, Account.FILTERS);

    assertThat(parsed.shown()).isEqualTo("jdbc:mysql://db/app");
    assertThat(parsed.toString()).doesNotContain("hush");
  }
}
