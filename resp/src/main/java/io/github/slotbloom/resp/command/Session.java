package io.github.slotbloom.resp.command;

import io.github.slotbloom.resp.protocol.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What the server knows of one client. Changed by the thread of its connection alone; other threads
 * may see what they read of it a little late.
 */
public final class Session {

  private final long id;
  private final String address;
  private final Executor thread;
  private final long since = System.nanoTime();
  private volatile long heard = since;
  private volatile String name = "";
  private volatile String library = "";
  private volatile String libraryVersion = "";
  private volatile int version = 2;
  private volatile boolean trusted;
  private boolean leaving;
  private @Nullable List<Request> queued;
  private long queuedBytes;
  private boolean queueBroken;

  /**
   * Creates a session.
   *
   * @param id a number that no other session has
   * @param address of the client, for lists of clients
   * @param thread the one of the connection
   * @param trusted true if nobody needs a password
   */
  public Session(long id, String address, Executor thread, boolean trusted) {
    this.id = id;
    this.address = address;
    this.thread = thread;
    this.trusted = trusted;
  }

  long id() {
    return id;
  }

  String address() {
    return address;
  }

  Executor thread() {
    return thread;
  }

  /** Returns the version of the protocol that the client reads. */
  public int version() {
    return version;
  }

  void speak(int itsVersion) {
    version = itsVersion;
  }

  /** Returns true if the client may use all commands: it gave the password, or needs none. */
  public boolean isTrusted() {
    return trusted;
  }

  void trust(boolean whether) {
    trusted = whether;
  }

  /** Returns true if the connection ends after the answer that was given last. */
  public boolean isLeaving() {
    return leaving;
  }

  void leave() {
    leaving = true;
  }

  String name() {
    return name;
  }

  void name(String itsName) {
    name = itsName;
  }

  void library(String itsName, String version) {
    library = itsName;
    libraryVersion = version;
  }

  String library() {
    return library;
  }

  String libraryVersion() {
    return libraryVersion;
  }

  long secondsOld() {
    return (System.nanoTime() - since) / 1_000_000_000;
  }

  long secondsIdle() {
    return (System.nanoTime() - heard) / 1_000_000_000;
  }

  void heard() {
    heard = System.nanoTime();
  }

  /** Returns true between MULTI and EXEC. */
  boolean queues() {
    return queued != null;
  }

  void beginQueue() {
    queued = new ArrayList<>();
    queueBroken = false;
  }

  /** Keeps a request until EXEC. Returns false if it is not to be kept. */
  boolean queue(Request request, long mostBytes) {
    List<Request> queue = queued;
    if (queue == null || queuedBytes + request.bytes() > mostBytes) {
      return false;
    }
    queuedBytes += request.bytes();
    queue.add(request);
    return true;
  }

  /** Lets EXEC fail, since one of the requests before it did. */
  void breakQueue() {
    queueBroken = true;
  }

  boolean isQueueBroken() {
    return queueBroken;
  }

  /** Ends the queue, and returns what was in it. */
  List<Request> endQueue() {
    List<Request> ended = queued == null ? List.of() : queued;
    queued = null;
    queuedBytes = 0;
    return ended;
  }
}
