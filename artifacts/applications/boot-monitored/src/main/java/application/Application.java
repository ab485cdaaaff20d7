package application;

import io.github.slotbloom.BloomFilter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/** Uses a filter, and shows what a monitoring system gets to see of it. */
@SpringBootConfiguration
@EnableAutoConfiguration
public class Application {

  public static void main(String[] args) throws Exception {
    try (ConfigurableApplicationContext context = SpringApplication.run(Application.class, args)) {
      @SuppressWarnings("unchecked")
      BloomFilter<String> payments = context.getBean("payments", BloomFilter.class);
      payments.addEach(List.of("p1", "p2"));
      payments.add("p1");
      payments.mightContain("p3");
      String port = context.getEnvironment().getProperty("local.server.port");

      System.out.println(
          "health: " + found("\"status\":\"(\\w+)\"", get(port, "health/slotbloom")));
      String all = get(port, "slotbloom");
      System.out.println("filters: " + found("^\\{\"(\\w+)\":", all));
      String one = get(port, "slotbloom/payments");
      System.out.println("keys: " + found("\"keys\":(\\d+),", one));
      System.out.println("figures: " + found("\"(\\w+)\":", one));
      String meters = get(port, "prometheus");
      System.out.println("meters: " + found("(?m)^(slotbloom_\\w+)", meters));
      System.out.println(
          "new keys: " + found("slotbloom_keys_total.*result=\"new\"\\} (.*)", meters));
    }
  }

  private static String get(String port, String endpoint) throws IOException, InterruptedException {
    URI address = URI.create("http://localhost:" + port + "/actuator/" + endpoint);
    HttpResponse<String> response =
        HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() != 200) {
      throw new IOException(address + " answers " + response.statusCode() + response.body());
    }
    return response.body();
  }

  /** Returns what a group of a regular expression finds, sorted. */
  private static Collection<String> found(String expression, String text) {
    return new TreeSet<>(
        Pattern.compile(expression)
            .matcher(text)
            .results()
            .map((MatchResult match) -> match.group(1))
            .toList());
  }
}
