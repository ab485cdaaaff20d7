package io.github.slotbloom.resp;

import io.github.slotbloom.resp.command.Commands;
import io.github.slotbloom.resp.command.Session;
import io.github.slotbloom.resp.command.Sessions;
import io.github.slotbloom.resp.protocol.RequestDecoder;
import io.github.slotbloom.resp.protocol.RequestLimits;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Lets clients in, as many as may be, and puts together what handles each of them. */
final class Acceptor extends ChannelInitializer<Channel> {

  /** A client that has not given the password within this time is gone. */
  private static final Duration PATIENCE_WITH_STRANGERS = Duration.ofSeconds(10);

  private final Commands commands;
  private final Sessions sessions;
  private final RequestLimits limits;
  private final @Nullable SslContext tls;
  private final Duration idleTimeout;
  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

  /**
   * Creates an acceptor.
   *
   * @param limits of the requests of clients that gave the password
   * @param tls null if connections are not encrypted
   * @param idleTimeout after which a silent client is gone; zero if never
   */
  Acceptor(
      Commands commands,
      Sessions sessions,
      RequestLimits limits,
      @Nullable SslContext tls,
      Duration idleTimeout) {
    this.commands = commands;
    this.sessions = sessions;
    this.limits = limits;
    this.tls = tls;
    this.idleTimeout = idleTimeout;
  }

  @Override
  protected void initChannel(Channel channel) {
    Session session =
        sessions.open(
            String.valueOf(channel.remoteAddress()).replace("/", ""), channel.eventLoop());
    if (tls != null) {
      channel.pipeline().addLast(tls.newHandler(channel.alloc()));
    }
    if (session == null) {
      refuse(channel);
      return;
    }
    channels.add(channel);
    channel.closeFuture().addListener(closed -> sessions.close(session));
    RequestDecoder decoder =
        new RequestDecoder(session.isTrusted() ? limits : RequestLimits.BEFORE_PASSWORD);
    if (!idleTimeout.isZero()) {
      channel
          .pipeline()
          .addLast(new IdleStateHandler(0, 0, idleTimeout.toMillis(), TimeUnit.MILLISECONDS));
    }
    Connection connection = new Connection(commands, session, channel, decoder, limits);
    channel.pipeline().addLast(decoder).addLast(connection);
    if (!session.isTrusted()) {
      var unused =
          channel
              .eventLoop()
              .schedule(
                  connection::endUnlessTrusted,
                  PATIENCE_WITH_STRANGERS.toMillis(),
                  TimeUnit.MILLISECONDS);
    }
  }

  private static void refuse(Channel channel) {
    channel
        .writeAndFlush(
            Unpooled.copiedBuffer(
                "-ERR max number of clients reached\r\n", StandardCharsets.US_ASCII))
        .addListener(ChannelFutureListener.CLOSE);
  }

  /** Ends all connections: what has come is answered first, unless that takes too long. */
  void close(Duration patience) {
    for (Channel channel : channels) {
      channel
          .eventLoop()
          .execute(
              () -> {
                Connection connection = channel.pipeline().get(Connection.class);
                if (connection != null) {
                  connection.end();
                }
              });
    }
    if (!channels.newCloseFuture().awaitUninterruptibly(patience.toMillis())) {
      channels.close().awaitUninterruptibly();
    }
  }
}
