package io.github.slotbloom.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.Rescue;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.MembershipFunctions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The stored function knows nothing of rescues: they change no answer of it. */
@DatabaseContract
@Tag("mysql")
class MembershipFunctionRescueIT extends MembershipFunctions {

  private static final Rescue MISTAKE = Rescue.because("listed by mistake");

  @Test
  void aRescuedKeyIsNoMember() throws SQLException {
    try (BloomFilter<String> filter = bloom.reserve("rescued", spec(100).build())) {
      filter.add("listed");
      bloom.admin(filter.name()).fold();
      makeFunction("rescued");
      try (Connection folding =
          ByHand.holdingFoldLockOf(
              bloom.info(filter.name()).id(), schema.dataSource().getConnection())) {
        filter.blockList().rescueEach(List.of("listed", "never"), MISTAKE);

        // Otherwise the first mistake in a list would stop those who ask from SQL.
        assertThat(ask("rescued", "listed")).as("the function of before").isEqualTo("1");
        makeFunction("rescued");
        assertThat(ask("rescued", "listed")).isEqualTo("1");
        assertThat(ask("rescued", "never")).isEqualTo("0");
        folding.rollback();
      }
    }
  }
}
