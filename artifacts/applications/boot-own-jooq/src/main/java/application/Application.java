package application;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.spring.Deduplicate;
import org.jooq.Constants;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;

/** Books each payment once, by a jOOQ of its own in a table of its own Flyway. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({Application.Payments.class, Application.Runner.class})
public class Application {

  public static void main(String[] args) {
    SpringApplication.run(Application.class, args).close();
  }

  static class Payments {
    private final DSLContext jooq;

    Payments(DSLContext jooq) {
      this.jooq = jooq;
    }

    @Deduplicate(filter = "payments", key = "#id")
    boolean book(String id) {
      jooq.insertInto(DSL.table("booked"))
          .columns(DSL.field("id", SQLDataType.VARCHAR))
          .values(id)
          .execute();
      return true;
    }

    int booked() {
      return jooq.fetchCount(DSL.table("booked"));
    }
  }

  record Runner(Payments payments, BloomFilter<String> filter) implements ApplicationRunner {

    @Override
    public void run(ApplicationArguments arguments) {
      System.out.println("booked: " + payments.book("p1") + " " + payments.book("p1"));
      System.out.println("rows: " + payments.booked());
      System.out.println("contained: " + filter.mightContain("p1"));
      System.out.println("jOOQ " + Constants.MINOR_VERSION);
    }
  }
}
