package io.github.slotbloom.resp.command;

import io.github.slotbloom.resp.reply.Reply;

/** The commands that read and write the bits of RedisBloom, which mean nothing here. */
final class Dumps {

  private Dumps() {}

  static Reply refused(String command) {
    return Reply.error(
        "ERR "
            + command
            + " is not supported: the bits of RedisBloom mean nothing here. Use slotbloom export and"
            + " slotbloom import.");
  }
}
