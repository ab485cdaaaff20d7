package io.github.slotbloom.resp.reply;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.List;

/** An answer, whatever the version of the protocol in which it is written. Immutable. */
public sealed interface Reply {

  /** The answer to what is done and has nothing to tell. */
  Reply OK = new Status("OK");

  /** Nothing, where something could have been. */
  Reply NOTHING = new Nothing();

  /** Appends the bytes that a client of a version of the protocol, 2 or 3, reads. */
  void write(int version, ByteBuf out);

  /** Returns yes or no: a number in version 2. */
  static Reply truth(boolean value) {
    return new Truth(value);
  }

  /** Returns a number. */
  static Reply number(long value) {
    return new Whole(value);
  }

  /** Returns a text of any characters. */
  static Reply bulk(String text) {
    return new Bulk(text.getBytes(UTF_8));
  }

  /** Returns a list of answers. */
  static Reply array(List<? extends Reply> items) {
    return new Array(List.copyOf(items));
  }

  /** Returns an error, whose message begins with a code in capitals, mostly {@code ERR}. */
  static Failure error(String message) {
    return new Failure(message);
  }

  /** A word or two, without an end of a line. */
  record Status(String text) implements Reply {
    @Override
    public void write(int version, ByteBuf out) {
      line(out, '+', text);
    }
  }

  /** An error. Ends of lines in its text are written as spaces. */
  record Failure(String message) implements Reply {
    @Override
    public void write(int version, ByteBuf out) {
      line(out, '-', message.replaceAll("[\r\n]+", " "));
    }
  }

  /** A whole number. */
  record Whole(long value) implements Reply {
    @Override
    public void write(int version, ByteBuf out) {
      line(out, ':', Long.toString(value));
    }
  }

  /** Any bytes, which nobody changes. */
  @SuppressWarnings("ArrayRecordComponent") // written once, and never compared
  record Bulk(byte[] bytes) implements Reply {
    @Override
    public void write(int version, ByteBuf out) {
      bulk(out, '$', bytes);
    }
  }

  /** A text for people of any number of lines, which version 3 tells from data. */
  record Text(String text) implements Reply {
    @Override
    public void write(int version, ByteBuf out) {
      if (version == 3) {
        bulk(out, '=', ("txt:" + text).getBytes(UTF_8));
      } else {
        bulk(out, '$', text.getBytes(UTF_8));
      }
    }
  }

  /** Yes or no. */
  record Truth(boolean value) implements Reply {
    @Override
    public void write(int version, ByteBuf out) {
      if (version == 3) {
        line(out, '#', value ? "t" : "f");
      } else {
        line(out, ':', value ? "1" : "0");
      }
    }
  }

  /** No value. */
  record Nothing() implements Reply {
    @Override
    public void write(int version, ByteBuf out) {
      if (version == 3) {
        line(out, '_', "");
      } else {
        line(out, '$', "-1");
      }
    }
  }

  /** A list. */
  record Array(List<Reply> items) implements Reply {
    @Override
    public void write(int version, ByteBuf out) {
      all(out, '*', items.size(), version, items);
    }
  }

  /** Names and values, one after the other: a map in version 3, a list of both in version 2. */
  record Pairs(List<Reply> namesAndValues) implements Reply {
    @Override
    public void write(int version, ByteBuf out) {
      if (version == 3) {
        all(out, '%', namesAndValues.size() / 2, version, namesAndValues);
      } else {
        all(out, '*', namesAndValues.size(), version, namesAndValues);
      }
    }
  }

  /** One name with its value: a map in version 3, and a list of the value alone in version 2. */
  record Field(Reply name, Reply value) implements Reply {
    @Override
    public void write(int version, ByteBuf out) {
      if (version == 3) {
        all(out, '%', 1, version, List.of(name, value));
      } else {
        all(out, '*', 1, version, List.of(value));
      }
    }
  }

  private static void all(ByteBuf out, char mark, int size, int version, List<Reply> items) {
    line(out, mark, Integer.toString(size));
    for (Reply item : items) {
      item.write(version, out);
    }
  }

  private static void line(ByteBuf out, char mark, String text) {
    out.writeByte(mark);
    ByteBufUtil.writeUtf8(out, text);
    out.writeShort(('\r' << 8) | '\n');
  }

  private static void bulk(ByteBuf out, char mark, byte[] bytes) {
    line(out, mark, Integer.toString(bytes.length));
    out.writeBytes(bytes);
    out.writeShort(('\r' << 8) | '\n');
  }
}
