package io.github.slotbloom.internal.store;

import java.sql.SQLException;
import java.util.HexFormat;
import org.jooq.BindingGetResultSetContext;
import org.jooq.BindingSQLContext;
import org.jooq.BindingSetStatementContext;
import org.jooq.Converter;
import org.jooq.impl.AbstractBinding;
import org.jooq.impl.IdentityConverter;

/**
 * Passes bytes to the server as a text of hexadecimal digits. For its binary log MySQL writes the
 * values of a prepared statement into the text of the statement. With bytes in it that text cannot
 * be read, and views such as {@code sys.innodb_lock_waits} fail as long as the statement runs.
 */
public final class HexBinding extends AbstractBinding<byte[], byte[]> {

  private static final long serialVersionUID = 1L;

  private static final Converter<byte[], byte[]> SAME = new IdentityConverter<>(byte[].class);

  public static String digits(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  @Override
  public Converter<byte[], byte[]> converter() {
    return SAME;
  }

  @Override
  public void sql(BindingSQLContext<byte[]> context) {
    context.render().sql("unhex(").sql(context.variable()).sql(")");
  }

  @Override
  public void set(BindingSetStatementContext<byte[]> context) throws SQLException {
    context.statement().setString(context.index(), digits(context.value()));
  }

  @Override
  public void get(BindingGetResultSetContext<byte[]> context) throws SQLException {
    context.value(context.resultSet().getBytes(context.index()));
  }
}
