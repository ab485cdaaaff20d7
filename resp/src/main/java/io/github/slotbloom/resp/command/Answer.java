package io.github.slotbloom.resp.command;

import io.github.slotbloom.resp.filter.Answers;
import io.github.slotbloom.resp.reply.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The answer to a client about its keys. */
final class Answer {

  private static final Reply FULL = Reply.error("ERR non scaling filter is full");

  private Answer() {}

  /** Returns the answer to the one key of a command. */
  static Reply one(Answers answers) {
    return answers.full() ? FULL : Reply.truth(answers.each()[0]);
  }

  /** Returns the answers to all keys; of a full filter, the error ends the list. */
  static Reply each(Answers answers) {
    return list(answers, Reply::truth, FULL);
  }

  /** Returns titles with their values. */
  static Reply.Pairs info(List<String> titles, Reply... values) {
    List<Reply> pairs = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      pairs.add(new Reply.Status(titles.get(i)));
      pairs.add(values[i]);
    }
    return new Reply.Pairs(pairs);
  }

  static Reply list(Answers answers, Function<Boolean, Reply> answer, Reply full) {
    List<Reply> replies = new ArrayList<>(answers.each().length + 1);
    for (boolean each : answers.each()) {
      replies.add(answer.apply(each));
    }
    if (answers.full()) {
      replies.add(full);
    }
    return Reply.array(replies);
  }
}
