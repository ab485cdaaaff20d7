package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SessionTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "jdbc:mysql://db:3306/app|jdbc:mysql://db:3306/app",
        "jdbc:mysql://me:hush@db:3306/app|jdbc:mysql://db:3306/app",
        "jdbc:mysql://me:hu@sh@db/app|jdbc:mysql://db/app",
        "jdbc:mysql://db/app?user=me&password=hush|jdbc:mysql://db/app",
        "jdbc:mysql://(host=db,user=me,password=hush)/app"
            + "|jdbc:mysql://(host=db,user=me,password=...)/app",
      })
  void aPasswordInTheUrlIsNotShown(String url, String shown) {
    assertThat(Session.withoutSecrets(url)).isEqualTo(shown);
  }
}
