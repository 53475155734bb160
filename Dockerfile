# The image of the service: serve, dispatch, migrate, admin, doctor and health, as a user that owns no file.
FROM denoland/deno:2.9.6 AS app
WORKDIR /src
COPY . .
RUN deno run -A cli/app_files.ts /srv

FROM denoland/deno:bin-2.9.6 AS deno

FROM debian:bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/* \
  && groupadd --gid 65532 outbound \
  && useradd --uid 65532 --gid 65532 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin outbound
COPY --from=deno /deno /usr/local/bin/deno
COPY --from=app /srv /srv
ENV DENO_DIR=/srv/deno DENO_NO_UPDATE_CHECK=1 NO_COLOR=1
USER 65532:65532
WORKDIR /srv/outbound
EXPOSE 54321
STOPSIGNAL SIGTERM
ENTRYPOINT ["/srv/outbound/ops/image/entrypoint.sh"]
CMD ["serve"]
