package io.github.slotbloom.cli.terminal;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The stream for results. It writes bytes unchanged and, unlike System.out, reports write failures.
 */
public final class Output implements AutoCloseable {

  private static final int BUFFER = 64 * 1024;

  private final OutputStream stream;

  public Output(OutputStream stream) {
    this.stream = new BufferedOutputStream(stream, BUFFER);
  }

  public void write(byte[] bytes) {
    try {
      stream.write(bytes);
    } catch (IOException e) {
      throw new OutputException(e);
    }
  }

  public void write(byte one) {
    try {
      stream.write(one);
    } catch (IOException e) {
      throw new OutputException(e);
    }
  }

  public void println(String line) {
    write((line + "\n").getBytes(StandardCharsets.UTF_8));
  }

  public void flush() {
    try {
      stream.flush();
    } catch (IOException e) {
      throw new OutputException(e);
    }
  }

  /** Ends the results, so that a program that reads them goes on. Nothing may be written after. */
  @Override
  public void close() {
    try {
      stream.close();
    } catch (IOException e) {
      throw new OutputException(e);
    }
  }
}
