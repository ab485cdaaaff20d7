package io.github.slotbloom.resp.filter;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterStatus;

/**
 * A filter that this server has open.
 *
 * @param filter what to ask
 * @param status what it was like when it was opened
 */
record OpenFilter(BloomFilter<byte[]> filter, FilterStatus status) {}
