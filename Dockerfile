# The image of the service. docs/how-to/deploy.md says how to use it, and deploy/verify-image.sh
# checks all of it. Nothing here needs BuildKit. Podman and Buildah keep the HEALTHCHECK only with
# --format docker.

# Any image with Node, a glibc, and for the first stage npm. Its user 1000 needs no name.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
ARG PNPM_VERSION=12.21.0
ENV CI=true TURBO_TELEMETRY_DISABLED=1
RUN npm install --global pnpm@${PNPM_VERSION}
WORKDIR /repository

# Downloads what the lockfile lists. Only a change of the lockfile repeats this step.
COPY pnpm-lock.yaml pnpm-workspace.yaml ./
RUN pnpm fetch

# Install scripts belong to development tools: nothing that is built or shipped has one.
COPY . .
RUN pnpm install --offline --frozen-lockfile --ignore-scripts \
  && node tools/prepare.cjs bundle --filter=@pet-store/api \
  && pnpm --filter @pet-store/api deploy --prod --offline --ignore-scripts /app

# Not needed at run time: types, source and maps, SQLite's source, and its builds for other
# platforms.
RUN find /app \( -name '*.ts' -o -name '*.[cm]ts' -o -name '*.map' \) -type f -delete \
  && rm -rf /app/pnpm-*.yaml /app/node_modules/.pnpm/better-sqlite3@*/node_modules/better-sqlite3/deps \
  && find /app/node_modules/.pnpm/better-sqlite3@*/node_modules/better-sqlite3/prebuilds \
    -type f ! -name "linux-$(node -p process.arch).node" -delete \
  && cp LICENSE /app/

FROM ${NODE_IMAGE}
ARG VERSION=local
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Pet Store" \
  org.opencontainers.image.description="The pet store service: list, create and get pets over HTTP and JSON." \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production HOST=0.0.0.0 DATABASE_URL=sqlite:/data/pet-store.db
# Otherwise V8 chooses the space for new objects by the memory of the machine: 128 MiB on a large
# one, and too little in a small container, where a request then takes twice the CPU time.
# Its own limit for all objects is 304 MiB even in a container of 256 MiB. Half of the memory leaves
# room for the rest, so that an overload leads to 503 and does not end the container.
ENV NODE_OPTIONS="--max-semi-space-size=16 --max-old-space-size-percentage=50"
COPY --from=build /app /app
RUN mkdir /data && chown 1000:1000 /data && ln -s /app/bin/pet-store.js /usr/local/bin/pet-store
WORKDIR /app

# As a number, so that an orchestrator can see that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
# /livez, not /readyz: restarting the process would not repair the database. The shell makes the
# request, because starting Node every ten seconds takes many times as much processor time.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/${PORT:-3000} && printf 'GET /livez HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r -t 2 _ status _ <&3 && [[ $status == 200 ]]"]
ENTRYPOINT ["pet-store"]
CMD ["serve"]
