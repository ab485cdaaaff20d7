package io.github.slotbloom.cli;

import java.io.File;
import java.io.IOException;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/** Writes the man pages of all commands as AsciiDoc. The build turns them into what man reads. */
final class ManPages {

  private ManPages() {}

  /** Writes into the directory that is its argument. */
  public static void main(String[] arguments) throws IOException {
    Surroundings surroundings = Surroundings.ofProcess();
    Main root = new Main(surroundings, new Termination());
    int exitCode =
        ManPageGenerator.generateManPage(
            new File(arguments[0]),
            null,
            new boolean[0],
            false,
            Main.commandLine(root, surroundings).getCommandSpec());
    if (exitCode != ExitCode.DONE) {
      throw new IOException("No man pages in " + arguments[0] + ": code " + exitCode);
    }
  }
}
