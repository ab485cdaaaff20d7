package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {

  @Test
  void writesWhatIsNested() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("name", "words");
    object.put("capacity", 1_000_000L);
    object.put("rate", 1e-6);
    object.put("growable", true);
    object.put("generations", List.of(Map.of("number", 1)));

    assertThat(Json.of(object))
        .isEqualTo(
            "{\"name\":\"words\",\"capacity\":1000000,\"rate\":1.0E-6,\"growable\":true,"
                + "\"generations\":[{\"number\":1}]}");
  }

  @Test
  void escapesText() {
    assertThat(Json.of("a\"b\\c\n北")).isEqualTo("\"a\\\"b\\\\c\\u000a北\"");
  }
}
