package io.github.slotbloom.cli;

import io.github.slotbloom.cli.terminal.Messages;
import io.github.slotbloom.cli.terminal.Terminal;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Clock;

/**
 * Everything outside a command that it uses, apart from files and databases.
 *
 * @param input standard input
 * @param output the unbuffered stream for results
 * @param messages the writer of standard error
 */
public record Surroundings(
    InputStream input,
    OutputStream output,
    Messages messages,
    Environment environment,
    Terminal terminal,
    Clock clock) {

  static Surroundings ofProcess() {
    Environment environment = Environment.ofProcess();
    Terminal terminal = Terminal.ofProcess(environment);
    return new Surroundings(
        new FileInputStream(FileDescriptor.in),
        new FileOutputStream(FileDescriptor.out),
        new Messages(System.err, terminal),
        environment,
        terminal,
        Clock.systemUTC());
  }
}
