package example;

import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** Books a payment of 5 for each id on the command line. Run it twice: nothing is booked again. */
@SpringBootApplication
public class PaymentsApplication {

  public static void main(String[] ids) {
    SpringApplication.run(PaymentsApplication.class, ids);
  }

  @Bean
  CommandLineRunner bookAll(Payments payments) {
    return ids -> {
      for (String id : ids) {
        boolean booked = payments.book(new Payment(id, 1, 5));
        System.out.println(id + (booked ? " is booked" : " was booked before"));
      }
      System.out.println("The balance is " + payments.balance(1));
    };
  }
}
