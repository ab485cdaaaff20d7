package io.github.slotbloom.resp.command;

import io.github.slotbloom.resp.command.Command.Trait;
import io.github.slotbloom.resp.reply.Reply;
import java.util.List;

/** Commands that Redis has, with the reason why there are none here. */
final class RefusedCommands {

  private RefusedCommands() {}

  static List<Command> all() {
    String dump =
        "is not supported: filters have another format here. Use slotbloom export and"
            + " slotbloom import.";
    String twice = "can add a key twice, but here a key is in the filter or not. Use ";
    String script = "is not supported: there are no scripts here.";
    return List.of(
        refused("BF.SCANDUMP", dump),
        refused("BF.LOADCHUNK", dump),
        refused("CF.SCANDUMP", dump),
        refused("CF.LOADCHUNK", dump),
        refused("CF.ADD", twice + "CF.ADDNX."),
        refused("CF.INSERT", twice + "CF.INSERTNX."),
        // Redisson tries again and again where these are unknown.
        refused("EVAL", script),
        refused("EVALSHA", script),
        refused("EVAL_RO", script),
        refused("EVALSHA_RO", script),
        refused("SCRIPT", script),
        refused("FCALL", script),
        refused(
                "WATCH",
                "is not supported: commands of other clients can run between those of a"
                    + " transaction.")
            .with(Trait.NEVER_QUEUED));
  }

  private static Command refused(String name, String why) {
    Reply error = Reply.error("ERR " + name + " " + why);
    return Command.atOnce(name, 1, Command.ANY, (session, request) -> error);
  }
}
