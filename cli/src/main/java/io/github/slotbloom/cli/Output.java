package io.github.slotbloom.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Where results go: bytes as they are, and unlike System.out it says when writing failed. */
final class Output {

  private static final int BUFFER = 64 * 1024;

  private final OutputStream stream;

  Output(OutputStream stream) {
    this.stream = new BufferedOutputStream(stream, BUFFER);
  }

  void write(byte[] bytes) {
    try {
      stream.write(bytes);
    } catch (IOException e) {
      throw new OutputException(e);
    }
  }

  void write(byte one) {
    try {
      stream.write(one);
    } catch (IOException e) {
      throw new OutputException(e);
    }
  }

  void println(String line) {
    write((line + "\n").getBytes(StandardCharsets.UTF_8));
  }

  void flush() {
    try {
      stream.flush();
    } catch (IOException e) {
      throw new OutputException(e);
    }
  }
}
