package io.github.slotbloom.cli.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Writes the completion script for fish. Picocli writes one for bash only. */
final class FishCompletion {

  /** Labels of values for which fish proposes files. */
  private static final Set<String> FILES = Set.of("FILE", "DIR");

  private final CommandSpec root;
  private final List<String> lines = new ArrayList<>();

  private FishCompletion(CommandSpec root) {
    this.root = root;
  }

  static String of(CommandSpec root) {
    FishCompletion completion = new FishCompletion(root);
    completion.write();
    return String.join("\n", completion.lines);
  }

  private void write() {
    Map<String, CommandLine> commands = root.subcommands();
    String noCommand =
        " -n 'not __fish_seen_subcommand_from " + String.join(" ", commands.keySet()) + "'";
    commands.forEach(
        (name, command) ->
            complete(
                noCommand + " -f -a " + name,
                command.getCommandSpec().usageMessage().description()));
    root.options().forEach(option -> complete("", option));
    commands.forEach((name, command) -> complete(name, command.getCommandSpec()));
  }

  private void complete(String name, CommandSpec command) {
    String afterCommand = " -n '__fish_seen_subcommand_from " + name + "'";
    command.options().stream()
        .filter(option -> !root.optionsMap().containsKey(option.longestName()))
        .forEach(option -> complete(afterCommand, option));
    List<PositionalParamSpec> parameters = command.positionalParameters();
    if (parameters.stream().noneMatch(parameter -> FILES.contains(parameter.paramLabel()))) {
      complete(afterCommand + " -f");
    }
    parameters.stream()
        .filter(parameter -> parameter.completionCandidates() != null)
        .forEach(parameter -> complete(afterCommand + candidates(parameter)));
  }

  private void complete(String condition, OptionSpec option) {
    StringBuilder arguments = new StringBuilder(condition);
    for (String name : option.names()) {
      arguments.append(
          name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
    }
    if (option.arity().min() > 0) {
      arguments.append(FILES.contains(option.paramLabel()) ? " -r -F" : " -x" + candidates(option));
    }
    complete(arguments.toString(), option.description());
  }

  private static String candidates(ArgSpec argument) {
    return argument.completionCandidates() == null
        ? ""
        : " -a " + quoted(String.join(" ", argument.completionCandidates()));
  }

  /** Shows the first sentence of a description. */
  private void complete(String arguments, String[] description) {
    complete(arguments + " -d " + quoted(description[0].split("\\. |\\.$", 2)[0]));
  }

  private void complete(String arguments) {
    lines.add("complete -c " + root.name() + arguments);
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
