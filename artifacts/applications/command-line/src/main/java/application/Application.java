package application;

import io.github.slotbloom.cli.Main;

/** Calls one command of the command line, which ends the process. */
public final class Application {

  private Application() {}

  public static void main(String[] args) {
    Main.main(new String[] {"dedup", "letters", "--capacity", "1000"});
  }
}
