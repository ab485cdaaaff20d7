package io.github.slotbloom.internal.store;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import org.jooq.BindingGetResultSetContext;
import org.jooq.BindingSQLContext;
import org.jooq.BindingSetStatementContext;
import org.jooq.Converter;
import org.jooq.impl.AbstractBinding;
import org.jooq.impl.IdentityConverter;

/**
 * Passes the name of a filter to the server as hexadecimal digits of its UTF-8, and reads the bytes
 * of it. A connection whose character set lacks a character would send a question mark instead, and
 * find another filter.
 */
final class NameBinding extends AbstractBinding<String, String> {

  private static final long serialVersionUID = 1L;

  private static final Converter<String, String> SAME = new IdentityConverter<>(String.class);

  @Override
  public Converter<String, String> converter() {
    return SAME;
  }

  @Override
  public void sql(BindingSQLContext<String> context) {
    context.render().sql("convert(unhex(").sql(context.variable()).sql(") using utf8mb4)");
  }

  @Override
  public void set(BindingSetStatementContext<String> context) throws SQLException {
    byte[] name = context.value().getBytes(StandardCharsets.UTF_8);
    context.statement().setString(context.index(), HexBinding.digits(name));
  }

  @Override
  public void get(BindingGetResultSetContext<String> context) throws SQLException {
    byte[] name = context.resultSet().getBytes(context.index());
    context.value(name == null ? null : new String(name, StandardCharsets.UTF_8));
  }
}
