package io.github.slotbloom.perf;

import io.github.slotbloom.perf.server.DatabaseKind;
import io.github.slotbloom.perf.server.RedisAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The request for a run.
 *
 * @param root the root directory of the repository
 * @param redisBloom a server with the BF.* commands
 * @param sustained how long each side of the sustained case adds
 * @param out the directory for the results
 */
public record Plan(
    Path root,
    Scale scale,
    DatabaseKind database,
    Optional<RedisAddress> redisBloom,
    Duration sustained,
    Path out) {}
