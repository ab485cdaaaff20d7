package io.github.slotbloom.resp.reply;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.List;

/** Writes answers as a client of one version of the protocol reads them. */
public enum ReplyWriter {
  /** What every client understands. */
  RESP2 {
    @Override
    void writeNothing(ByteBuf out) {
      line(out, '$', "-1");
    }

    @Override
    void writeTruth(boolean value, ByteBuf out) {
      line(out, ':', value ? "1" : "0");
    }

    @Override
    void writeText(String text, ByteBuf out) {
      bulk(out, '$', text.getBytes(UTF_8));
    }

    @Override
    void writePairs(List<Reply> namesAndValues, ByteBuf out) {
      writeAll('*', namesAndValues.size(), namesAndValues, out);
    }

    @Override
    void writeField(Reply.Field field, ByteBuf out) {
      writeAll('*', 1, List.of(field.value()), out);
    }
  },

  /** What a client asks for with HELLO 3: maps, booleans, and a sign for nothing. */
  RESP3 {
    @Override
    void writeNothing(ByteBuf out) {
      line(out, '_', "");
    }

    @Override
    void writeTruth(boolean value, ByteBuf out) {
      line(out, '#', value ? "t" : "f");
    }

    @Override
    void writeText(String text, ByteBuf out) {
      bulk(out, '=', ("txt:" + text).getBytes(UTF_8));
    }

    @Override
    void writePairs(List<Reply> namesAndValues, ByteBuf out) {
      writeAll('%', namesAndValues.size() / 2, namesAndValues, out);
    }

    @Override
    void writeField(Reply.Field field, ByteBuf out) {
      writeAll('%', 1, List.of(field.name(), field.value()), out);
    }
  };

  /** Appends an answer to the bytes. */
  public void write(Reply reply, ByteBuf out) {
    if (reply instanceof Reply.Truth truth) {
      writeTruth(truth.value(), out);
    } else if (reply instanceof Reply.Whole whole) {
      line(out, ':', Long.toString(whole.value()));
    } else if (reply instanceof Reply.Array array) {
      writeAll('*', array.items().size(), array.items(), out);
    } else if (reply instanceof Reply.Status status) {
      line(out, '+', status.text());
    } else if (reply instanceof Reply.Bulk bulk) {
      bulk(out, '$', bulk.bytes());
    } else if (reply instanceof Reply.Failure failure) {
      line(out, '-', failure.message().replaceAll("[\r\n]+", " "));
    } else if (reply instanceof Reply.Pairs pairs) {
      writePairs(pairs.namesAndValues(), out);
    } else if (reply instanceof Reply.Field field) {
      writeField(field, out);
    } else if (reply instanceof Reply.Text text) {
      writeText(text.text(), out);
    } else {
      writeNothing(out);
    }
  }

  abstract void writeNothing(ByteBuf out);

  abstract void writeTruth(boolean value, ByteBuf out);

  abstract void writeText(String text, ByteBuf out);

  abstract void writePairs(List<Reply> namesAndValues, ByteBuf out);

  abstract void writeField(Reply.Field field, ByteBuf out);

  final void writeAll(char mark, int size, List<Reply> items, ByteBuf out) {
    line(out, mark, Integer.toString(size));
    for (Reply item : items) {
      write(item, out);
    }
  }

  static void line(ByteBuf out, char mark, String text) {
    out.writeByte(mark);
    ByteBufUtil.writeUtf8(out, text);
    out.writeShort(('\r' << 8) | '\n');
  }

  static void bulk(ByteBuf out, char mark, byte[] bytes) {
    line(out, mark, Integer.toString(bytes.length));
    out.writeBytes(bytes);
    out.writeShort(('\r' << 8) | '\n');
  }
}
