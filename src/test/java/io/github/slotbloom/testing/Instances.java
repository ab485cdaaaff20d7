package io.github.slotbloom.testing;

import com.zaxxer.hikari.HikariConfig;
import io.github.slotbloom.SlotBloom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Several users of one schema, each with its own pool, as if they were separate processes. */
public final class Instances implements AutoCloseable {

  private final TestSchema schema;
  private final List<SlotBloom> open = new ArrayList<>();

  public Instances(TestSchema schema) {
    this.schema = schema;
  }

  /** Creates another user with a small pool. */
  public SlotBloom another() {
    return another(settings -> {});
  }

  /** Creates another user with other pool settings. */
  public SlotBloom another(Consumer<HikariConfig> poolSettings) {
    return another(poolSettings, bloom -> {});
  }

  public SlotBloom another(
      Consumer<HikariConfig> poolSettings, Consumer<SlotBloom.Builder> settings) {
    SlotBloom.Builder builder =
        SlotBloom.builder(
            schema.pool(
                pool -> {
                  pool.setMaximumPoolSize(4);
                  poolSettings.accept(pool);
                }));
    settings.accept(builder);
    SlotBloom bloom = builder.build();
    open.add(bloom);
    return bloom;
  }

  /** What a user does. */
  public interface Work {
    void run(SlotBloom bloom) throws Exception;
  }

  /** Lets a number of new users do the same at once, and waits for all. */
  public void atOnce(int count, Work work) throws InterruptedException {
    List<SlotBloom> users = Stream.generate(this::another).limit(count).toList();
    Crowd.of(count, number -> work.run(users.get(number))).join(Duration.ofSeconds(60));
  }

  @Override
  public void close() {
    open.forEach(SlotBloom::close);
  }
}
