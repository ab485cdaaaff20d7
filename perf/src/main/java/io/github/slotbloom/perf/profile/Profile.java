package io.github.slotbloom.perf.profile;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/**
 * Records with the JDK's flight recorder where the threads of this process are: on a core by
 * samples, and at sockets exactly. Who waits for another thread is nowhere.
 */
public final class Profile implements AutoCloseable {

  private static final String RUNNING = "jdk.ExecutionSample";
  private static final String READING = "jdk.SocketRead";
  private static final String WRITING = "jdk.SocketWrite";
  private static final String PAUSING = "jdk.GCPhasePause";
  private static final Duration PERIOD = Duration.ofMillis(10);

  private final Recording recording = new Recording();
  private double begunOnCores;
  private double secondsOnCores;

  public Profile() {
    recording.enable(RUNNING).withPeriod(PERIOD);
    recording.enable(READING).withThreshold(Duration.ZERO).withStackTrace();
    recording.enable(WRITING).withThreshold(Duration.ZERO).withStackTrace();
    recording.enable(PAUSING).withThreshold(Duration.ZERO);
  }

  public void begin() {
    begunOnCores = onCores();
    recording.start();
  }

  public void end() {
    recording.stop();
    secondsOnCores = onCores() - begunOnCores;
  }

  private static double onCores() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getProcessCpuTime() / 1e9
        : 0;
  }

  /** Returns the time on all cores, by the operating system, with compilers and collectors. */
  public double secondsOnCores() {
    return secondsOnCores;
  }

  /** Adds up what was recorded. The recording is written to the file. */
  public TimeShares read(Path file) throws IOException {
    recording.dump(file);
    TimeShares shares = new TimeShares();
    try (RecordingFile events = new RecordingFile(file)) {
      while (events.hasMoreEvents()) {
        add(events.readEvent(), shares);
      }
    }
    return shares;
  }

  private static void add(RecordedEvent event, TimeShares shares) {
    double seconds = event.getDuration().toNanos() / 1e9;
    switch (event.getEventType().getName()) {
      case RUNNING -> shares.running(stack(event), PERIOD.toNanos() / 1e9);
      case READING -> shares.waiting(stack(event), seconds);
      case WRITING -> shares.sending(stack(event), seconds);
      case PAUSING -> shares.pausing(seconds);
      default -> {
        // The recorder's own events.
      }
    }
  }

  private static List<String> stack(RecordedEvent event) {
    if (event.getStackTrace() == null) {
      return List.of();
    }
    return event.getStackTrace().getFrames().stream().map(Profile::name).toList();
  }

  private static String name(RecordedFrame frame) {
    return frame.getMethod().getType().getName() + "." + frame.getMethod().getName();
  }

  @Override
  public void close() {
    recording.close();
  }
}
