package application;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.spring.Deduplicate;
import java.util.List;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/** Books each payment once, and looks for what came along. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({Application.Payments.class, Application.Runner.class})
public class Application {

  public static void main(String[] args) {
    SpringApplication.run(Application.class, args).close();
  }

  /** Has the name of the filter. */
  @Component("payments")
  static class Payments {
    private final JdbcTemplate jdbc;

    Payments(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
      jdbc.execute("CREATE TABLE booked (id VARCHAR(40))");
    }

    @Deduplicate(filter = "payments", key = "#id")
    boolean book(String id) {
      jdbc.update("INSERT INTO booked VALUES (?)", id);
      return true;
    }

    List<String> booked() {
      return jdbc.queryForList("SELECT id FROM booked ORDER BY id", String.class);
    }
  }

  record Runner(Payments payments, BloomFilter<String> filter, ApplicationContext context)
      implements ApplicationRunner {

    @Override
    public void run(ApplicationArguments arguments) {
      System.out.println(
          "booked: " + payments.book("p1") + " " + payments.book("p1") + " " + payments.book("p2"));
      System.out.println("rows: " + payments.booked());
      System.out.println(
          filter.name() + ": " + filter.mightContain("p1") + " " + filter.mightContain("p3"));
      for (String bean : List.of("dslContext", "flyway", "jooqExceptionTranslator")) {
        System.out.println(bean + ": " + (context.containsBean(bean) ? "there" : "absent"));
      }
    }
  }
}
