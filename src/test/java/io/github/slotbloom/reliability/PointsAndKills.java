package io.github.slotbloom.reliability;

import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** Gives a test each point of the enum that its first parameter is of, and kills. */
final class PointsAndKills implements ArgumentsProvider {

  @Override
  public Stream<? extends Arguments> provideArguments(
      ParameterDeclarations parameters, ExtensionContext context) {
    Class<?> points = context.getRequiredTestMethod().getParameterTypes()[0];
    return AtCrashSite.site.withKills((Enum<?>[]) points.getEnumConstants());
  }
}
