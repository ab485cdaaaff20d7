package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A filter holds keys of one type, which is stored with it. */
@DatabaseContract
class KeyTypesIT {

  private static final KeyType<UUID> UUIDS =
      KeyType.encoded(
          "uuid.v1",
          uuid ->
              ByteBuffer.allocate(16)
                  .putLong(uuid.getMostSignificantBits())
                  .putLong(uuid.getLeastSignificantBits())
                  .array());

  @Fixture private static SlotBloom bloom;

  private static <K> FilterSpec<K> spec(KeyType<K> type) {
    return FilterSpec.builder(type).capacity(1000).build();
  }

  @Test
  void theNumber42AndTheText42NeedDifferentFilters() {
    BloomFilter<Long> numbers = bloom.reserve("numbers", spec(KeyType.longs()));
    assertThat(numbers.add(42L)).isTrue();
    assertThat(numbers.mightContain(42L)).isTrue();
    assertThat(bloom.info(numbers.name()).keyType()).isEqualTo("long");
    assertThatThrownBy(() -> bloom.open("numbers", KeyType.text()))
        .isInstanceOf(FilterMismatchException.class)
        .hasMessageContaining("long")
        .hasMessageContaining("text");
    assertThatThrownBy(() -> bloom.open("numbers", spec(KeyType.text())))
        .isInstanceOf(FilterMismatchException.class);
    assertThatThrownBy(() -> bloom.openOrReserve("numbers", spec(KeyType.text())))
        .isInstanceOf(FilterMismatchException.class);
  }

  @Test
  void callersMayEncodeTheirOwnTypes() {
    UUID key = new UUID(1, 2);
    assertThat(bloom.reserve("uuids", spec(UUIDS)).add(key)).isTrue();
    assertThat(bloom.open("uuids", UUIDS).mightContain(new UUID(1, 2))).isTrue();
    assertThat(bloom.open("uuids", UUIDS).mightContain(new UUID(2, 1))).isFalse();
    assertThat(bloom.info("uuids").keyType()).isEqualTo("custom:uuid.v1");
    assertThatThrownBy(
            () -> bloom.open("uuids", KeyType.<UUID>encoded("uuid.v2", u -> new byte[0])))
        .isInstanceOf(FilterMismatchException.class)
        .hasMessageContaining("custom:uuid.v1")
        .hasMessageContaining("custom:uuid.v2");
  }

  @Test
  void anEncoderThatChangedUnderItsIdMissesTheKeysOfBefore() {
    UUID key = new UUID(1, 2);
    bloom.reserve("changed", spec(UUIDS)).add(key);
    KeyType<UUID> changed =
        KeyType.encoded("uuid.v1", uuid -> uuid.toString().getBytes(StandardCharsets.US_ASCII));

    assertThat(bloom.open("changed", changed).mightContain(key)).isFalse();
    KeySource keys = KeySource.of("the key", changed, () -> Stream.of(key));
    assertThat(bloom.admin("changed").verify(VerifyOptions.defaults().keys(keys)).findings())
        .hasSize(1);
  }
}
