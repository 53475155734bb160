# The image of the service: serve, dispatch, migrate, admin, doctor and health, as a user that owns no file.
# What runs while it is built runs on the builder's own processor, so one machine builds the image for all.
FROM --platform=$BUILDPLATFORM denoland/deno:2.9.6 AS app
WORKDIR /src
COPY . .
RUN deno run -A cli/app_files.ts /srv

FROM --platform=$BUILDPLATFORM debian:bookworm-slim AS certificates
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates

FROM denoland/deno:bin-2.9.6 AS deno

# Layers in the order in which they change: the system, the packages, the sources.
FROM debian:bookworm-slim
COPY --from=certificates /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=deno /deno /usr/local/bin/deno
COPY --from=app /srv/deno /srv/deno
COPY --from=app /srv/outbound /srv/outbound
ENV DENO_DIR=/srv/deno DENO_NO_UPDATE_CHECK=1 NO_COLOR=1
USER 65532:65532
WORKDIR /srv/outbound
EXPOSE 54321
STOPSIGNAL SIGTERM
ENTRYPOINT ["/srv/outbound/ops/image/entrypoint.sh"]
CMD ["serve"]
