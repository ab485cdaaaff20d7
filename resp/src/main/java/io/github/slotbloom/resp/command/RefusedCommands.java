package io.github.slotbloom.resp.command;

import io.github.slotbloom.resp.command.Command.Trait;
import io.github.slotbloom.resp.reply.Reply;
import java.util.List;

/** Commands that Redis has, with the reason why there are none here. */
final class RefusedCommands {

  void addTo(CommandTable table) {
    for (String name : List.of("BF.SCANDUMP", "BF.LOADCHUNK", "CF.SCANDUMP", "CF.LOADCHUNK")) {
      table.add(
          refused(
              name,
              "is not supported: the bits of RedisBloom mean nothing here. Use slotbloom export and"
                  + " slotbloom import."));
    }
    for (String name : List.of("CF.ADD", "CF.INSERT")) {
      table.add(
          refused(
              name, "may add a key twice, and here a key is there or not. Use " + name + "NX."));
    }
    // Redisson tries again and again where these are unknown.
    for (String name : List.of("EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO", "SCRIPT", "FCALL")) {
      table.add(refused(name, "is not supported: there are no scripts here."));
    }
    table.add(
        refused(
                "WATCH",
                "is not supported: other clients may come between the commands of a transaction.")
            .with(Trait.NEVER_QUEUED));
  }

  private static Command refused(String name, String why) {
    Reply error = Reply.error("ERR " + name + " " + why);
    return Command.atOnce(name, 1, Command.ANY, request -> error);
  }
}
