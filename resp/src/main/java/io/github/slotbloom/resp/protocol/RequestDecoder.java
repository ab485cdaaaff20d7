package io.github.slotbloom.resp.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/**
 * Turns the bytes of one connection into {@link Request}s, and of an error a {@link
 * ProtocolException}, after which nothing more is read.
 */
public final class RequestDecoder extends ByteToMessageDecoder {

  private final RequestParser parser;
  private boolean failed;

  /**
   * Creates a decoder.
   *
   * @param limits what it allows at first
   */
  public RequestDecoder(RequestLimits limits) {
    parser = new RequestParser(limits);
  }

  /** Sets what is allowed from now on. Called on the thread of the connection. */
  public void limit(RequestLimits theirs) {
    parser.limit(theirs);
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> out) {
    if (failed) {
      bytes.skipBytes(bytes.readableBytes());
      return;
    }
    try {
      Request request = parser.next(bytes);
      if (request != null) {
        out.add(request);
      }
    } catch (ProtocolException e) {
      failed = true;
      out.add(e);
    }
  }
}
