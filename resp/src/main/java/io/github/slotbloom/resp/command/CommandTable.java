package io.github.slotbloom.resp.command;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** All commands by their names. Filled once, and then only read. */
final class CommandTable {

  private final Map<String, Command> commands = new TreeMap<>();

  void add(Command command) {
    commands.put(command.name(), command);
  }

  /**
   * Returns a command; null if there is none.
   *
   * @param name in capitals
   */
  @Nullable Command find(String name) {
    return commands.get(name);
  }

  Collection<Command> all() {
    return commands.values();
  }
}
