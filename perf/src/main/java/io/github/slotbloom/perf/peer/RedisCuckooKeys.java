package io.github.slotbloom.perf.peer;

import io.github.slotbloom.perf.server.RedisAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.bloom.RedisBloomProtocol.CuckooFilterCommand;

/**
 * Uses the cuckoo filter of RedisBloom through Jedis, with one connection per caller. It has
 * fingerprints of 8 bits, so its false positive rate cannot be chosen.
 *
 * <p>Keys are added without asking first, since a key that is taken for seen and not added could
 * not be removed either. So the answers do not tell which keys were new. There is no command that
 * removes several keys; the commands of a call are sent in one pipeline.
 */
public final class RedisCuckooKeys implements RemovableKeys {

  /** Two buckets of two places each, of 255 fingerprints. */
  private static final double FALSE_POSITIVE_RATE = 4 / 255.0;

  private final RedisAddress address;
  private final byte[] filter;

  /** Creates a filter. An existing filter of that name is deleted. */
  public RedisCuckooKeys(RedisAddress address, String filter, long capacity) {
    this.address = address;
    this.filter = bytes(filter);
    try (Jedis jedis = address.connect()) {
      jedis.del(this.filter);
      jedis.sendCommand(CuckooFilterCommand.RESERVE, this.filter, bytes(Long.toString(capacity)));
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public String name() {
    return "RedisBloom CF";
  }

  @Override
  public String durability() {
    return address.durability();
  }

  @Override
  public double falsePositiveRate() {
    return FALSE_POSITIVE_RATE;
  }

  /** {@return the bytes of its buckets, as it says itself} */
  public long bytes() {
    try (Jedis jedis = address.connect()) {
      // Names and values in turns, the first of which is the size.
      List<?> info = (List<?>) jedis.sendCommand(CuckooFilterCommand.INFO, filter);
      return (Long) info.get(1);
    }
  }

  @Override
  public RemovingCaller caller() {
    return new RedisCuckooCaller(address.connect());
  }

  @Override
  public void close() {
    try (Jedis jedis = address.connect()) {
      jedis.del(filter);
    }
  }

  private final class RedisCuckooCaller implements RemovingCaller {

    private final Jedis jedis;

    RedisCuckooCaller(Jedis jedis) {
      this.jedis = jedis;
    }

    @Override
    public boolean add(String key) {
      return isOne(jedis.sendCommand(CuckooFilterCommand.ADD, filter, bytes(key)));
    }

    @Override
    public long addEach(List<String> keys) {
      return ones(jedis.sendCommand(CuckooFilterCommand.INSERT, arguments("ITEMS", keys)));
    }

    @Override
    public boolean mightContain(String key) {
      return isOne(jedis.sendCommand(CuckooFilterCommand.EXISTS, filter, bytes(key)));
    }

    @Override
    public long seen(List<String> keys) {
      return ones(jedis.sendCommand(CuckooFilterCommand.MEXISTS, arguments("", keys)));
    }

    @Override
    public boolean remove(String key) {
      return isOne(jedis.sendCommand(CuckooFilterCommand.DEL, filter, bytes(key)));
    }

    @Override
    public long removeEach(List<String> keys) {
      List<Response<Object>> answers = new ArrayList<>(keys.size());
      try (Pipeline pipeline = jedis.pipelined()) {
        for (String key : keys) {
          answers.add(pipeline.sendCommand(CuckooFilterCommand.DEL, filter, bytes(key)));
        }
      }
      return answers.stream().filter(answer -> isOne(answer.get())).count();
    }

    private byte[][] arguments(String before, List<String> keys) {
      List<byte[]> arguments = new ArrayList<>(keys.size() + 2);
      arguments.add(filter);
      if (!before.isEmpty()) {
        arguments.add(bytes(before));
      }
      keys.forEach(key -> arguments.add(bytes(key)));
      return arguments.toArray(byte[][]::new);
    }

    private static boolean isOne(Object answer) {
      return answer instanceof Long number && number == 1;
    }

    private static long ones(Object answer) {
      if (!(answer instanceof List<?> answers)) {
        throw new IllegalStateException("Not a list of answers: " + answer);
      }
      return answers.stream().filter(RedisCuckooCaller::isOne).count();
    }

    @Override
    public void close() {
      jedis.close();
    }
  }
}
