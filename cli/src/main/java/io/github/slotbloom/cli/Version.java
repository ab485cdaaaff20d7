package io.github.slotbloom.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** Provides the version that the jar was built as. */
public final class Version implements IVersionProvider {

  private static final String FILE =
      "/META-INF/maven/io.github.slotbloom/slotbloom-cli/pom.properties";

  @Override
  public String[] getVersion() {
    return new String[] {ofJar()};
  }

  public static String ofJar() {
    Properties properties = new Properties();
    try (InputStream stream = Version.class.getResourceAsStream(FILE)) {
      if (stream != null) {
        properties.load(stream);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read " + FILE + ": " + e.getMessage(), e);
    }
    return "slotbloom " + properties.getProperty("version", "(not packaged)");
  }
}
