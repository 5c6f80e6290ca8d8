# Builds Berth and leaves a small image that runs it.
#   docker build -t berth .
#   docker run -p 9280:9280 -p 9281:9281 -v berth-data:/var/lib/berth -e BERTH_ROOT_ACCESS_KEY_ID=… -e BERTH_ROOT_SECRET_ACCESS_KEY=… berth
# BASE is any Debian 12 image; without access to a registry, make one with debootstrap and `docker import`
# (docs/install.md shows how).
ARG BASE=debian:12-slim

FROM ${BASE} AS build
WORKDIR /src
COPY tools/install-packages tools/
RUN tools/install-packages build
COPY . .
RUN cmake -S . -B /build && cmake --build /build --target berth -j "$(nproc)" && strip /build/berth

FROM ${BASE}
RUN apt-get update && apt-get install -y --no-install-recommends \
        ca-certificates tzdata libcivetweb1 liblmdb0 libcurl4 libssl3 libprotobuf-c1 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /build/berth /usr/local/bin/berth
VOLUME /var/lib/berth
EXPOSE 9280 9281
ENTRYPOINT ["berth"]
CMD ["server", "--data", "/var/lib/berth", "--listen", "0.0.0.0:9280"]
