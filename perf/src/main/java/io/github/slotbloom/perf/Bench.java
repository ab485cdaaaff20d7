package io.github.slotbloom.perf;

import io.github.slotbloom.perf.server.DatabaseServer;
import io.github.slotbloom.perf.server.Directories;
import io.github.slotbloom.perf.server.RedisAddress;
import io.github.slotbloom.perf.server.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Holds what the cases share: servers, which start when first needed, and a directory for files.
 */
public final class Bench implements AutoCloseable {

  /**
   * The buffer pool fits what the cases hold at the same time. The sustained case has its own
   * server.
   */
  private static final int BUFFER_POOL_MIB = 1024;

  private final Plan plan;
  private final Path files;
  private @Nullable DatabaseServer database;
  private Optional<RedisProcess> redis = Optional.empty();
  private boolean redisTried;

  Bench(Plan plan) throws IOException {
    this.plan = plan;
    files = Files.createTempDirectory("slotbloom-perf");
  }

  public Plan plan() {
    return plan;
  }

  public Scale scale() {
    return plan.scale();
  }

  /** Returns a directory for files that are deleted when the run ends. */
  public Path files() {
    return files;
  }

  public DatabaseServer database() throws Exception {
    if (database == null) {
      database = DatabaseServer.start(plan.database(), BUFFER_POOL_MIB);
    }
    return database;
  }

  /** Returns a server for Redisson, if there is one. */
  public Optional<RedisAddress> redis() throws IOException, InterruptedException {
    if (!redisTried) {
      redis = RedisProcess.start();
      redisTried = true;
    }
    return redis.map(RedisProcess::address);
  }

  /** Returns a server for RedisBloom, if one was given. */
  public Optional<RedisAddress> redisBloom() {
    return plan.redisBloom();
  }

  public void say(String text) {
    System.err.println(text);
  }

  @Override
  public void close() throws Exception {
    try {
      if (database != null) {
        database.close();
      }
      if (redis.isPresent()) {
        redis.get().close();
      }
    } finally {
      Directories.delete(files);
    }
  }
}
