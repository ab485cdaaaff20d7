package io.github.slotbloom.perf.report;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Describes the machine of the measurements. */
public final class Machine {

  private Machine() {}

  public static Map<String, Object> describe() {
    Map<String, Object> machine = new LinkedHashMap<>();
    machine.put("cpu", cpu());
    machine.put("cores", Runtime.getRuntime().availableProcessors());
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    machine.put("memoryMib", system.getTotalMemorySize() >> 20);
    machine.put("os", system.getName() + " " + system.getVersion() + " " + system.getArch());
    machine.put(
        "jvm",
        System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
    return machine;
  }

  private static String cpu() {
    try {
      return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).trim())
          .findFirst()
          .orElse("unknown");
    } catch (IOException e) {
      return "unknown: " + e.getMessage();
    }
  }
}
