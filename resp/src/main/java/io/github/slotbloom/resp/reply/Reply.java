package io.github.slotbloom.resp.reply;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;

/** An answer, whatever the version of the protocol in which it is written. Immutable. */
public sealed interface Reply {

  /** The answer to what is done and has nothing to tell. */
  Reply OK = new Status("OK");

  /** Nothing, where something could have been. */
  Reply NOTHING = new Nothing();

  /** Yes: a number in version 2. */
  Reply YES = new Truth(true);

  /** No: a number in version 2. */
  Reply NO = new Truth(false);

  /** Returns yes or no. */
  static Reply truth(boolean value) {
    return value ? YES : NO;
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

  /**
   * Returns an error.
   *
   * @param message begins with a code in capitals, mostly {@code ERR}
   */
  static Failure error(String message) {
    return new Failure(message);
  }

  /**
   * A word or two.
   *
   * @param text without an end of a line
   */
  record Status(String text) implements Reply {}

  /**
   * An error. Ends of lines in its text are written as spaces.
   *
   * @param message what the client is told
   */
  record Failure(String message) implements Reply {}

  /**
   * A whole number.
   *
   * @param value the number
   */
  record Whole(long value) implements Reply {}

  /**
   * Any bytes.
   *
   * @param bytes nobody changes them
   */
  @SuppressWarnings("ArrayRecordComponent") // written once, and never compared
  record Bulk(byte[] bytes) implements Reply {}

  /**
   * A text for people, which version 3 tells from data.
   *
   * @param text any number of lines
   */
  record Text(String text) implements Reply {}

  /**
   * Yes or no.
   *
   * @param value yes is true
   */
  record Truth(boolean value) implements Reply {}

  /** No value. */
  record Nothing() implements Reply {}

  /**
   * A list.
   *
   * @param items in order
   */
  record Array(List<Reply> items) implements Reply {}

  /**
   * Names and values: a map in version 3, and a list of both in version 2.
   *
   * @param namesAndValues one after the other
   */
  record Pairs(List<Reply> namesAndValues) implements Reply {}

  /**
   * One name with its value: a map in version 3, and a list of the value alone in version 2.
   *
   * @param name of the value
   * @param value what was asked for
   */
  record Field(Reply name, Reply value) implements Reply {}
}
