package io.github.slotbloom.perf.report;

import io.github.slotbloom.SlotBloom;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the versions of everything that took part. */
public final class Versions {

  private static final Pattern JAR = Pattern.compile("(.+?)-([0-9].*)\\.jar");

  private static final Map<String, Class<?>> LIBRARIES = new LinkedHashMap<>();

  static {
    LIBRARIES.put("slotbloom", SlotBloom.class);
    LIBRARIES.put("mysql-connector-j", com.mysql.cj.jdbc.Driver.class);
    LIBRARIES.put("hikaricp", com.zaxxer.hikari.HikariDataSource.class);
    LIBRARIES.put("guava", com.google.common.hash.BloomFilter.class);
    LIBRARIES.put("redisson", org.redisson.Redisson.class);
    LIBRARIES.put("jedis", redis.clients.jedis.Jedis.class);
    LIBRARIES.put("hadoop-common", org.apache.hadoop.util.bloom.CountingBloomFilter.class);
    LIBRARIES.put("orestes", orestes.bloomfilter.CountingBloomFilter.class);
    LIBRARIES.put("cuckoofilter4j", com.github.mgunlogson.cuckoofilter4j.CuckooFilter.class);
    LIBRARIES.put("jmh", org.openjdk.jmh.annotations.Benchmark.class);
  }

  private Versions() {}

  public static Map<String, Object> ofLibraries() {
    Map<String, Object> versions = new LinkedHashMap<>();
    LIBRARIES.forEach((name, type) -> versions.put(name, version(type)));
    return versions;
  }

  private static String version(Class<?> type) {
    String jar =
        Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath())
            .getFileName()
            .toString();
    Matcher matcher = JAR.matcher(jar);
    return matcher.matches() ? matcher.group(2) : jar;
  }

  /** Returns the commit that was built, with a plus sign if the work tree differs from it. */
  public static String commit(Path root) {
    String commit = git(root, "rev-parse", "HEAD");
    return git(root, "status", "--porcelain").isEmpty() ? commit : commit + "+";
  }

  private static String git(Path root, String... arguments) {
    try {
      ProcessBuilder command = new ProcessBuilder("git", "-C", root.toString());
      command.command().addAll(List.of(arguments));
      Process git = command.redirectError(ProcessBuilder.Redirect.DISCARD).start();
      return new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
    } catch (IOException e) {
      return "unknown";
    }
  }
}
