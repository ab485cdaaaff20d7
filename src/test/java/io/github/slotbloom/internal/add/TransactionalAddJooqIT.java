package io.github.slotbloom.internal.add;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.testing.CallersTransactions;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.TestDatabase;
import io.github.slotbloom.testing.Use;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;

/** An add in a transaction that the caller began with jOOQ. */
@DatabaseContract
class TransactionalAddJooqIT extends CallersTransactions {

  @Test
  void aKeySharesTheFateOfATransactionOfJooq(TestDatabase database) throws Exception {
    BloomFilter<String> filter = reserve(Use.MIRRORED);
    var jooq =
        DSL.using(
            schema.pool(settings -> settings.setMaximumPoolSize(1)),
            database.isMariaDb() ? SQLDialect.MARIADB : SQLDialect.MYSQL);
    assertThatThrownBy(
            () ->
                jooq.transaction(
                    inside -> {
                      inside.dsl().connection(c -> assertThat(filter.within(c).add("a")).isTrue());
                      throw new IllegalArgumentException("on purpose");
                    }))
        .hasMessageContaining("on purpose");
    assertThat(filter.mightContain("a")).isFalse();
    jooq.transaction(
        inside -> inside.dsl().connection(c -> assertThat(filter.within(c).add("a")).isTrue()));
    assertThat(filter.mightContain("a")).isTrue();
    assertThat(filter.info().keysAdded()).isEqualTo(1);
  }
}
