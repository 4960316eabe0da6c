#!/usr/bin/env bash
# Builds the image and checks, in real containers, what docs/how-to/deploy.md says about it. Prints
# one line for each check, and ends with exit code 1 at the first that fails.
#
#   deploy/verify-image.sh                   with the base image of the Dockerfile
#   deploy/verify-image.sh --assemble-base   with a stand-in for it, where no registry of images
#                                            can be reached
#
# ENGINE is the command that runs containers: `podman` (default) or `docker`, with options if
# needed, such as `podman --runtime runc`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export ENGINE=${ENGINE:-podman}
read -ra engine <<<"$ENGINE"
# One defect that it may find is a container that ignores signals.
run() { timeout --kill-after=5 60 "${engine[@]}" "$@"; }

base=$(sed -n 's/^ARG NODE_IMAGE=//p' Dockerfile)
image=pet-store:local
name=pet-store-verify-$$
# Without these, an engine may pass on limits that are higher than this machine allows.
limits=(--ulimit nofile=1024:1024 --ulimit nproc=1024:1024)
# As restricted as an orchestrator would run it.
restricted=("${limits[@]}" --read-only --cap-drop all --security-opt no-new-privileges
  --volume "$name:/data")
format=()
if [[ ${engine[0]##*/} != docker ]]; then format=(--format docker --network host); fi

trap 'run rm --force "$name" >/dev/null 2>&1; run volume rm "$name" >/dev/null 2>&1' EXIT

seen() { echo "ok   $1"; }
fail() { echo "FAIL $1" >&2; run logs "$name" >&2 2>/dev/null || true; exit 1; }
expect() { if [[ $2 == "$3" ]]; then seen "$1"; else fail "$1: expected $3, got $2"; fi; }
call() {
  curl --silent --max-time 5 --write-out ' %{http_code}' \
    --header 'Content-Type: application/json' "$@"
}
inside() { run exec "$name" "$@"; }

serve() {
  run run --detach --name "$name" "${restricted[@]}" "$@" --publish 127.0.0.1::3000 "$image" \
    >/dev/null 2>&1
  url=http://$(run port "$name" 3000 | head -n 1)
  for _ in $(seq 50); do
    if curl --silent --fail --output /dev/null "$url/readyz"; then return; fi
    sleep 0.2
  done
  fail 'it is ready within ten seconds'
}

if [[ ${1:-} == --assemble-base ]] && ! run image inspect "$base" >/dev/null 2>&1; then
  deploy/assemble-node-image.sh "$base" >/dev/null || fail 'a base image can be assembled'
fi
log=$(mktemp)
"${engine[@]}" build "${format[@]}" "${limits[@]}" --tag "$image" . >"$log" 2>&1 ||
  { tail -n 30 "$log" >&2; fail 'the image builds'; }
rm "$log"
seen 'the image builds'

size() { run image inspect "$1" --format '{{.Size}}'; }
own=$((($(size "$image") - $(size "$base")) / 1000000))
if ((own > 40)); then fail "the program adds at most 40 MB to its base: it adds $own MB"; fi
seen "the program adds $own MB to its base"

run run --rm --name "$name" "${limits[@]}" "$image" --help | grep 'Usage: pet-store' >/dev/null ||
  fail 'arguments are commands'
seen 'arguments are commands'
code=0
run run --rm --name "$name" "${limits[@]}" --env PORT=x "$image" >/dev/null 2>&1 || code=$?
expect 'wrong settings end it with exit code 2' "$code" 2

run volume create "$name" >/dev/null
run run --rm --name "$name" "${restricted[@]}" "$image" migrate | grep '^Done: ' >/dev/null ||
  fail 'migrate makes the tables'
seen 'migrate makes the tables'

serve
expect 'it lives' "$(call "$url/livez")" '{"status":"ok"} 200'
expect 'it is not root' "$(inside node -p 'process.getuid() + ":" + process.getgid()')" 1000:1000
if run exec --user 0 "$name" touch /app/new 2>/dev/null; then
  fail 'its root file system is read-only'
fi
seen 'its root file system is read-only'
expect 'it is process 1, so a signal reaches it' \
  "$(inside readlink /proc/1/exe)" /usr/local/bin/node

test_of='{{range .Config.Healthcheck.Test}}{{println .}}{{end}}'
mapfile -t health < <(run inspect "$name" --format "$test_of" | sed '/^$/d')
expect 'it says how its health is checked' "${health[0]:-}" CMD
inside "${health[@]:1}" || fail 'its health check passes'
seen 'its health check passes'
if run exec --env PORT=1 "$name" "${health[@]:1}"; then fail 'its health check can fail'; fi
seen 'its health check can fail'

page=$(call "$url/docs")
expect 'it shows its reference page' "${page##* }" 200

inside pet-store doctor >/dev/null || fail 'doctor finds nothing wrong beside the service'
seen 'doctor finds nothing wrong beside the service'
key=$(inside pet-store keys create --name kiosk 2>/dev/null)
bearer=(--header "Authorization: Bearer $key")
expect 'a key can be made while it serves' "$(call "${bearer[@]}" "$url/v1/pets")" '[] 200'
rex='{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"available"}'
expect 'a pet can be added' \
  "$(call "${bearer[@]}" --data "${rex/\"id\":1,/}" "$url/v1/pets")" "$rex 201"
expect 'pets can be listed' "$(call "${bearer[@]}" "$url/v1/pets")" "[$rex] 200"
response=$(call "$url/v1/pets")
expect 'a request without a key is rejected' "${response##* }" 401

run stop --time 20 "$name" >/dev/null 2>&1
expect 'SIGTERM ends it in order' "$(run inspect "$name" --format '{{.State.ExitCode}}')" 0
run logs "$name" 2>&1 | grep '"signal":"SIGTERM","msg":"stopping"' >/dev/null ||
  fail 'it logs that it stops'
seen 'it logs that it stops'
run rm "$name" >/dev/null 2>&1

serve
expect 'another container goes on with the same data' \
  "$(call "${bearer[@]}" "$url/v1/pets")" "[$rex] 200"
run rm --force "$name" >/dev/null 2>&1

# The limit of the heap leaves room for bodies that arrive: here nearly all of 2,000 bodies.
smallest=384m
# shellcheck disable=SC2016
hold='const [url, key] = process.argv.slice(1)
  const { hostname, port } = new URL(url)
  const body = JSON.stringify({ name: "x".repeat(100_000), categoryId: 1 })
  const head = ["POST /v1/pets HTTP/1.1", "Host: localhost", `Authorization: Bearer ${key}`,
    "Content-Type: application/json", `Content-Length: ${body.length}`, "", ""].join("\r\n")
  for (let count = 0; count < 2_000; count += 1)
    require("node:net").connect(port, hostname).on("error", () => {}).write(head + body.slice(1))
  setTimeout(process.exit, 5_000)'
serve --memory "$smallest" --ulimit nofile=4096:4096
run run --rm --network host --ulimit nofile=4096:4096 --ulimit nproc=1024:1024 --entrypoint node \
  "$image" --eval "$hold" "$url" "$key" 2>/dev/null || fail 'clients can be started'
# On a busy machine a response takes long: 2,000 clients have just gone.
expect "2,000 bodies of 100 kB do not end a container of $smallest" \
  "$(call --max-time 50 "$url/livez")" '{"status":"ok"} 200'
echo "Everything holds for $image on $base."
