package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Scale;
import io.github.slotbloom.perf.memory.Asked;
import io.github.slotbloom.perf.memory.KeyKind;
import io.github.slotbloom.perf.memory.TimeOnCore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs one benchmark in its own JVM.
 *
 * @param properties what the JVM is told, see {@link io.github.slotbloom.perf.memory.MemorySetup}
 */
record MemoryFork(Bench bench, KeyKind kind, long keys, Map<String, ?> properties) {

  /** The time on a core and the allocated memory of one call. */
  record Measured(double nanos, double bytes) {}

  Measured run(Class<?> benchmark, String method, Asked asked) throws Exception {
    Scale scale = bench.scale();
    List<String> arguments = new ArrayList<>(List.of("-Xmx4g"));
    properties.forEach((name, value) -> arguments.add("-D" + name + "=" + value));
    TimeValue iteration = TimeValue.milliseconds(scale.memoryIteration().toMillis());
    Collection<RunResult> results =
        new Runner(
                new OptionsBuilder()
                    .include("^" + benchmark.getName().replace(".", "\\.") + "\\." + method + "$")
                    .param("kind", kind.name())
                    .param("asked", asked.name())
                    .param("keys", Long.toString(keys))
                    .forks(1)
                    .warmupIterations(scale.memoryIterations())
                    .warmupTime(iteration)
                    .measurementIterations(scale.memoryIterations())
                    .measurementTime(iteration)
                    .shouldFailOnError(true)
                    .jvmArgsAppend(arguments.toArray(String[]::new))
                    .addProfiler(GCProfiler.class)
                    .addProfiler(TimeOnCore.class)
                    .output(bench.files().resolve("jmh.log").toString())
                    .build())
            .run();
    RunResult result = results.iterator().next();
    return new Measured(score(result, TimeOnCore.RESULT), score(result, "gc.alloc.rate.norm"));
  }

  private static double score(RunResult result, String name) {
    return Objects.requireNonNull(result.getSecondaryResults().get(name), name).getScore();
  }
}
