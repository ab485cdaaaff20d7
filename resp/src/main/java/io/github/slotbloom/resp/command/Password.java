package io.github.slotbloom.resp.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The password that clients have to give. Only its digest is kept. */
public final class Password {

  private final byte[] digest;

  /**
   * Creates the password.
   *
   * @param text as the client gives it
   */
  public Password(String text) {
    digest = digest(text.getBytes(UTF_8));
  }

  /** Compares in a time that tells nothing about the password, nor about its length. */
  boolean is(byte[] given) {
    return MessageDigest.isEqual(digest, digest(given));
  }

  private static byte[] digest(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Each Java has SHA-256", e);
    }
  }
}
