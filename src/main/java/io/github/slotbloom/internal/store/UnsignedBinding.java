package io.github.slotbloom.internal.store;

import java.math.BigDecimal;
import java.sql.SQLException;
import org.jooq.BindingGetResultSetContext;
import org.jooq.BindingSetStatementContext;
import org.jooq.Converter;
import org.jooq.impl.AbstractBinding;
import org.jooq.types.ULong;

/**
 * Passes the 64 bits of a long to the driver as an unsigned number. What fits into a signed number
 * goes as a long: jOOQ takes a BigDecimal for each value, which costs more than all else that binds
 * a slot.
 */
final class UnsignedBinding extends AbstractBinding<ULong, Long> {

  private static final long serialVersionUID = 1L;

  private static final Converter<ULong, Long> BITS =
      Converter.ofNullable(ULong.class, Long.class, ULong::longValue, ULong::valueOf);

  @Override
  public Converter<ULong, Long> converter() {
    return BITS;
  }

  @Override
  public void set(BindingSetStatementContext<Long> context) throws SQLException {
    long bits = context.value();
    if (bits >= 0) {
      context.statement().setLong(context.index(), bits);
    } else {
      BigDecimal unsigned = new BigDecimal(Long.toUnsignedString(bits));
      context.statement().setBigDecimal(context.index(), unsigned);
    }
  }

  @Override
  public void get(BindingGetResultSetContext<Long> context) throws SQLException {
    // The driver refuses to give a number above 2^63 as a long.
    String digits = context.resultSet().getString(context.index());
    context.value(digits == null ? null : Long.parseUnsignedLong(digits));
  }
}
