package io.github.slotbloom.resp;

import io.github.slotbloom.resp.command.Commands;
import io.github.slotbloom.resp.command.InOrder;
import io.github.slotbloom.resp.command.Session;
import io.github.slotbloom.resp.protocol.ProtocolException;
import io.github.slotbloom.resp.protocol.Request;
import io.github.slotbloom.resp.protocol.RequestDecoder;
import io.github.slotbloom.resp.protocol.RequestLimits;
import io.github.slotbloom.resp.reply.Reply;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.timeout.IdleStateEvent;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client. Its requests are carried out in order, and it is not read while many of them wait or
 * while it does not read its answers. So a client that sends without reading is slowed down by its
 * own socket. All methods run on the thread of the connection.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write or a close that fails closes the channel
final class Connection extends ChannelInboundHandlerAdapter {

  private static final Logger log = LoggerFactory.getLogger(Connection.class);

  /** With so many requests without an answer, or so many bytes of them, nothing more is read. */
  private static final int MOST_REQUESTS = 8192;

  private static final int MOST_BYTES = 4 << 20;

  private final Session session;
  private final Channel channel;
  private final RequestDecoder decoder;
  private final RequestLimits limits;
  private final InOrder requests;
  private @Nullable ByteBuf answers;
  private @Nullable Reply lastAnswer;
  private boolean trusted;
  private boolean ending;

  /**
   * Creates the handler of a connection.
   *
   * @param limits of the requests of clients that gave the password
   */
  Connection(
      Commands commands,
      Session session,
      Channel channel,
      RequestDecoder decoder,
      RequestLimits limits) {
    this.session = session;
    this.channel = channel;
    this.decoder = decoder;
    this.limits = limits;
    this.trusted = session.isTrusted();
    this.requests = new InOrder(session, commands, channel::isWritable, this::write, this::flush);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (ending) {
      return;
    }
    if (message instanceof Request request) {
      requests.add(request);
      if (!trusted) {
        // The password decides how large the next request may be.
        requests.progress();
      }
      if (isFull()) {
        // A socket may be read many times before that is over.
        channel.config().setAutoRead(false);
      }
    } else if (message instanceof ProtocolException e) {
      endWith(Reply.error("ERR " + e.getMessage()));
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    requests.progress();
    flush();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (channel.isWritable()) {
      requests.progress();
      flush();
    }
  }

  /** Answers what has come, and then takes leave of the client. */
  void end() {
    ending = true;
    flush();
  }

  /** Does so if the client has not given the password. */
  void endUnlessTrusted() {
    if (!session.isTrusted()) {
      end();
    }
  }

  private void endWith(Reply reply) {
    lastAnswer = reply;
    end();
  }

  private void write(Reply reply) {
    ByteBuf buffer = answers;
    if (buffer == null) {
      buffer = channel.alloc().buffer();
      answers = buffer;
    }
    reply.write(session.version(), buffer);
    if (buffer.readableBytes() >= channel.config().getWriteBufferLowWaterMark()) {
      // So that it is noticed when the client does not read.
      writeAnswers();
    }
    if (session.isTrusted() != trusted) {
      trusted = session.isTrusted();
      decoder.limit(trusted ? limits : RequestLimits.BEFORE_PASSWORD);
    }
    if (session.isLeaving()) {
      ending = true;
      requests.drop();
    }
  }

  private void writeAnswers() {
    ByteBuf buffer = answers;
    if (buffer != null) {
      answers = null;
      channel.writeAndFlush(buffer, channel.voidPromise());
    }
  }

  private void flush() {
    boolean done = ending && requests.size() == 0;
    Reply last = lastAnswer;
    if (done && last != null) {
      lastAnswer = null;
      write(last);
    }
    writeAnswers();
    if (done) {
      channel.writeAndFlush(channel.alloc().buffer(0)).addListener(ChannelFutureListener.CLOSE);
    }
    channel.config().setAutoRead(!ending && channel.isWritable() && !isFull());
  }

  private boolean isFull() {
    return requests.size() >= MOST_REQUESTS || requests.bytes() >= MOST_BYTES;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    boolean waitsForUs = requests.size() > 0 && channel.isWritable();
    if (event instanceof IdleStateEvent && !waitsForUs) {
      channel.close();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    // What is under way is finished, and nobody hears of it.
    ending = true;
    requests.drop();
    ByteBuf buffer = answers;
    if (buffer != null) {
      answers = null;
      buffer.release();
    }
    context.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    log.debug("the connection of a client is closed", cause);
    channel.close();
  }
}
