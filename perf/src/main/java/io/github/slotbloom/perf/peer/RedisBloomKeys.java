package io.github.slotbloom.perf.peer;

import io.github.slotbloom.perf.server.RedisAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.bloom.RedisBloomProtocol.BloomFilterCommand;

/** Uses RedisBloom, or what speaks like it, through Jedis, with one connection per caller. */
public final class RedisBloomKeys implements SeenKeys {

  private final String name;
  private final String durability;
  private final RedisAddress address;
  private final byte[] filter;
  private final double falsePositiveRate;
  private final boolean piped;

  /** Creates a filter of fixed size. An existing filter of that name is deleted. */
  public RedisBloomKeys(
      RedisAddress address, String filter, long capacity, double falsePositiveRate) {
    this("RedisBloom", address.durability(), address, filter, capacity, falsePositiveRate, false);
  }

  /**
   * Creates a filter like the other constructor, on a server that need not be Redis.
   *
   * @param piped true if many keys are many commands, sent before the first answer is read
   */
  public RedisBloomKeys(
      String name,
      String durability,
      RedisAddress address,
      String filter,
      long capacity,
      double falsePositiveRate,
      boolean piped) {
    this.name = name;
    this.durability = durability;
    this.piped = piped;
    this.address = address;
    this.filter = bytes(filter);
    this.falsePositiveRate = falsePositiveRate;
    try (Jedis jedis = address.connect()) {
      jedis.del(this.filter);
      jedis.sendCommand(
          BloomFilterCommand.RESERVE,
          this.filter,
          bytes(Double.toString(falsePositiveRate)),
          bytes(Long.toString(capacity)),
          bytes("NONSCALING"));
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String durability() {
    return durability;
  }

  @Override
  public double falsePositiveRate() {
    return falsePositiveRate;
  }

  @Override
  public Caller caller() {
    return new RedisBloomCaller(address.connect());
  }

  @Override
  public void close() {
    try (Jedis jedis = address.connect()) {
      jedis.del(filter);
    }
  }

  private final class RedisBloomCaller implements Caller {

    private final Jedis jedis;

    RedisBloomCaller(Jedis jedis) {
      this.jedis = jedis;
    }

    @Override
    public boolean add(String key) {
      return isOne(jedis.sendCommand(BloomFilterCommand.ADD, filter, bytes(key)));
    }

    @Override
    public long addEach(List<String> keys) {
      return piped
          ? ones(BloomFilterCommand.ADD, keys)
          : ones(jedis.sendCommand(BloomFilterCommand.MADD, arguments(keys)));
    }

    @Override
    public boolean mightContain(String key) {
      return isOne(jedis.sendCommand(BloomFilterCommand.EXISTS, filter, bytes(key)));
    }

    @Override
    public long seen(List<String> keys) {
      return piped
          ? ones(BloomFilterCommand.EXISTS, keys)
          : ones(jedis.sendCommand(BloomFilterCommand.MEXISTS, arguments(keys)));
    }

    private long ones(BloomFilterCommand command, List<String> keys) {
      try (Pipeline pipeline = jedis.pipelined()) {
        for (String key : keys) {
          pipeline.sendCommand(command, filter, bytes(key));
        }
        return ones(pipeline.syncAndReturnAll());
      }
    }

    private byte[][] arguments(List<String> keys) {
      byte[][] arguments = new byte[keys.size() + 1][];
      arguments[0] = filter;
      for (int i = 0; i < keys.size(); i++) {
        arguments[i + 1] = bytes(keys.get(i));
      }
      return arguments;
    }

    private static boolean isOne(Object answer) {
      return answer instanceof Long number && number == 1;
    }

    private static long ones(Object answer) {
      if (!(answer instanceof List<?> answers)) {
        throw new IllegalStateException("Not a list of answers: " + answer);
      }
      return answers.stream().filter(RedisBloomCaller::isOne).count();
    }

    @Override
    public void close() {
      jedis.close();
    }
  }
}
