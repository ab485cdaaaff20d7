package io.github.slotbloom.perf;

import io.github.slotbloom.perf.server.DatabaseKind;
import io.github.slotbloom.perf.server.RedisAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What was asked for.
 *
 * @param root of the repository
 * @param redisBloom a server with BF.*
 * @param sustained how long each side of the sustained case adds
 * @param out where the results go
 */
public record Plan(
    Path root,
    Scale scale,
    DatabaseKind database,
    Optional<RedisAddress> redisBloom,
    Duration sustained,
    Path out) {}
