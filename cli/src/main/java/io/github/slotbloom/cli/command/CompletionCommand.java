package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.terminal.Output;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(
    name = "completion",
    description = {
      "Print a script that completes commands and options in bash, zsh or fish.",
      "bash: source <(slotbloom completion bash)",
      "zsh: source <(slotbloom completion zsh)",
      "fish: slotbloom completion fish | source"
    })
public final class CompletionCommand implements Callable<Integer> {

  /** Lets zsh understand the script, which is written for bash. */
  private static final String FOR_ZSH =
      "autoload -U +X compinit && compinit -u\nautoload -U +X bashcompinit && bashcompinit\n";

  enum Shell {
    BASH,
    ZSH,
    FISH
  }

  /** The candidates for shell completion. */
  static final class Shells extends ArrayList<String> {
    private static final long serialVersionUID = 1L;

    Shells() {
      super(List.of("bash", "zsh", "fish"));
    }
  }

  @Parameters(
      arity = "0..1",
      completionCandidates = CompletionCommand.Shells.class,
      paramLabel = "SHELL",
      description = "Shell: bash (the default), zsh or fish.")
  private Shell shell = Shell.BASH;

  @SuppressWarnings("NullAway.Init") // picocli sets it before the call.
  @ParentCommand
  private RootCommand root;

  @SuppressWarnings("NullAway.Init") // picocli sets it before the call.
  @Spec
  private CommandSpec spec;

  @Override
  public Integer call() {
    Output output = new Output(root.surroundings().output());
    output.println(
        switch (shell) {
          case BASH -> bash();
          case ZSH -> FOR_ZSH + bash();
          case FISH -> FishCompletion.of(spec.root());
        });
    output.flush();
    return ExitCode.DONE;
  }

  private String bash() {
    return AutoComplete.bash(spec.root().name(), spec.root().commandLine());
  }
}
