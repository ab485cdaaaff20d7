/**
 * The schedule explorer: it runs small programs on one database in orders that it chooses, and
 * looks whether the promises hold in each of them.
 *
 * <p>A {@code Program} says what each of two or three processes does: add a key, ask for one, clear
 * the filter, fold. A process is a {@code SlotBloom} of its own in this JVM. Whatever one of its
 * threads sends to the database, it first stops in front of it ({@code World}), and so does a
 * thread before it begins work in the background, before a call, or to rest. One thread at a time
 * is let go, and the next decision is made once that one has stopped again, is over, or waits for
 * another: for a future, or for a lock, which the server is asked about. So there are no races. A
 * {@code Schedule} lists the decisions that differ from the plain order, and it plays a run again,
 * statement by statement.
 *
 * <p>A decision may also be a fault: a process dies and its sessions end, the server loses all
 * sessions, or a COMMIT takes place without an answer. Time is a number that moves with each step.
 *
 * <p>{@code FilterState} and {@code HistoryChecker} judge what came of it. A run that is wrong is
 * made shorter ({@code Explorer}) and told line by line.
 */
@NullMarked
package io.github.slotbloom.schedule;

import org.jspecify.annotations.NullMarked;
