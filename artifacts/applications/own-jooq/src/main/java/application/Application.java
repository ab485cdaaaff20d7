package application;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jooq.Constants;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** Does its work with jOOQ, and has the filter remember it in the same transactions. */
public final class Application {

  private Application() {}

  public static void main(String[] args) {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(System.getenv("SLOTBLOOM_URL"));
      pool.setUsername(System.getenv("SLOTBLOOM_USER"));
      pool.setPassword(System.getenv("SLOTBLOOM_PASSWORD"));
      try (SlotBloom bloom = SlotBloom.on(pool)) {
        bloom.migrate();
        FilterSpec<String> spec = FilterSpec.builder(KeyType.text()).capacity(1000).build();
        try (BloomFilter<String> done = bloom.openOrReserve("done", spec)) {
          DSLContext jooq = DSL.using(pool, SQLDialect.MYSQL);
          jooq.execute("CREATE TABLE booking (message VARCHAR(20) PRIMARY KEY)");
          System.out.println("booked: " + book(jooq, done) + " " + book(jooq, done));
          System.out.println(
              "bookings: "
                  + jooq.fetchCount(DSL.table("booking"))
                  + ", "
                  + done.mightContain("m1"));
        }
      }
      // By jooq-settings.xml, which is for the jOOQ of the application alone.
      System.out.println(
          DSL.using(SQLDialect.MYSQL).render(DSL.select(DSL.field(DSL.name("message")))));
      System.out.println("jOOQ " + Constants.MINOR_VERSION);
    }
  }

  /** Returns true if the message was not booked before. */
  private static boolean book(DSLContext jooq, BloomFilter<String> done) {
    AtomicBoolean booked = new AtomicBoolean();
    jooq.transaction(
        transaction -> {
          booked.set(transaction.dsl().connectionResult(open -> done.within(open).add("m1")));
          if (booked.get()) {
            transaction.dsl().execute("INSERT INTO booking VALUES (?)", "m1");
          }
        });
    return booked.get();
  }
}
