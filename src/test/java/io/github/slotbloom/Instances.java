package io.github.slotbloom;

import com.zaxxer.hikari.HikariConfig;
import io.github.slotbloom.testing.TestSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Several users of one schema, each with a pool of its own, as if they were processes. */
final class Instances implements AutoCloseable {

  private final TestSchema schema;
  private final List<SlotBloom> open = new ArrayList<>();

  Instances(TestSchema schema) {
    this.schema = schema;
  }

  /** One more, with a small pool. */
  SlotBloom another() {
    return another(settings -> {});
  }

  /** One more, with a pool of other settings. */
  SlotBloom another(Consumer<HikariConfig> poolSettings) {
    return another(poolSettings, bloom -> {});
  }

  SlotBloom another(Consumer<HikariConfig> poolSettings, Consumer<SlotBloom.Builder> settings) {
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

  @Override
  public void close() {
    open.forEach(SlotBloom::close);
  }
}
