#!/usr/bin/env bash
# Restores a backup into a temporary folder, starts the service on it, and prints one line for each
# check. The database in use is not touched. Ends with exit code 1 at the first check that fails.
#
#   deploy/backup/restore-drill.sh sqlite FILE                  a file of `pet-store backup`
#   deploy/backup/restore-drill.sh litestream URL [TIME]        a replica of Litestream, now or at
#                                                               a time (RFC 3339)
#   deploy/backup/restore-drill.sh dump FILE                    a file of `pg_dump --format=custom`
#   deploy/backup/restore-drill.sh pitr BASE ARCHIVE [TIME]     folders of pg_basebackup and of
#                                                               archived WAL, at a time
#
#   AT_LEAST     the number of pets that must be there (default: 1)
#   PET_STORE    the program (default: pet-store)
#   PG_BIN       the folder of PostgreSQL's programs (default: from PATH)
#   PGDATABASE   the database in the backup, and PGUSER its owner (default of both: pet_store)
#   PG_RUN_AS    the user that PostgreSQL runs as when this script runs as root (default: postgres)
set -euo pipefail

PGDATABASE=${PGDATABASE:-pet_store}
PGUSER=${PGUSER:-pet_store}
[[ -z ${PG_BIN:-} ]] || PATH=$PG_BIN:$PATH
# The folder of runuser, which not every user has in PATH.
PATH=$PATH:/usr/sbin:/sbin
# Only the copy may be opened, whatever the environment of this shell or a file .env says: an empty
# variable counts as absent.
export DATABASE_URL_FILE='' DATABASE_REPLICA_URLS='' DATABASE_REPLICA_URLS_FILE='' \
  PERSISTENCE_MODULE='' METRICS_PORT='' \
  OTEL_EXPORTER_OTLP_ENDPOINT=''
export PORT=0 HOST=127.0.0.1 LOG_LEVEL=info

folder=$(mktemp -d)
server='' service=''
clean_up() {
  [[ -z $service ]] || kill "$service" 2>/dev/null || true
  [[ -z $server ]] || as_postgres pg_ctl -D "$folder/data" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap clean_up EXIT

ok() { echo "ok   $1"; }
fail() { echo "FAIL $1" >&2; exit 1; }
usage() { sed -n '/^#   deploy/s/^#   /  /p' "$0" >&2; exit 2; }
as_postgres() {
  if [[ $(id -u) == 0 ]]; then
    runuser -u "${PG_RUN_AS:-postgres}" -- env PATH="$PATH" "$@"
  else
    "$@"
  fi
}
program() { "${PET_STORE:-pet-store}" "$@"; }

# The server listens only on a socket in a folder that others cannot open.
start_postgres() {
  : >"$folder/postgresql.conf"
  echo 'local all all trust' >"$folder/pg_hba.conf"
  [[ $(id -u) != 0 ]] || chown -R "${PG_RUN_AS:-postgres}" "$folder"
  local options="-c config_file='$folder/postgresql.conf' -c hba_file='$folder/pg_hba.conf' \
    -c listen_addresses= -c unix_socket_directories='$folder' -c archive_mode=off -c ssl=off \
    -c shared_preload_libraries= -c lc_messages=C $1"
  server=started
  problem() {
    echo "PostgreSQL does not start: $(grep -h -E 'FATAL|ERROR|PANIC' "$folder/log" | tail -n 3)"
  }
  (cd "$folder" &&
    as_postgres pg_ctl -D "$folder/data" -l "$folder/log" -t 3600 -w -o "$options" start \
      >/dev/null) ||
    fail "$(problem)"
  # While a server recovers, pg_ctl reports it as started before it accepts connections.
  until grep -q 'ready to accept connections' "$folder/log"; do
    as_postgres pg_ctl -D "$folder/data" status >/dev/null || fail "$(problem)"
    ((SECONDS < 3600)) || fail 'PostgreSQL recovers within an hour'
    sleep 0.1
  done
}

started_at=$SECONDS
case "${1:-} $#" in
  'sqlite 2')
    export DATABASE_URL="sqlite:$folder/pet-store.db"
    program restore "$2" >/dev/null || fail "the backup $2 can be restored"
    ;;
  'litestream 2' | 'litestream 3')
    export DATABASE_URL="sqlite:$folder/pet-store.db"
    litestream restore -o "$folder/pet-store.db" ${3:+-timestamp "$3"} "$2" >/dev/null ||
      fail "the replica $2 can be restored"
    ;;
  'dump 2')
    mkdir -m 700 "$folder/data"
    [[ $(id -u) != 0 ]] || chown -R "${PG_RUN_AS:-postgres}" "$folder"
    as_postgres initdb -D "$folder/data" --username="$PGUSER" --auth=trust \
      --encoding=UTF8 --locale=C >/dev/null
    start_postgres ''
    pg_restore --host="$folder" --username="$PGUSER" --dbname=postgres --create --no-owner \
      --no-privileges "$2" ||
      fail "the dump $2 can be restored"
    export DATABASE_URL="postgres://$PGUSER@localhost/$PGDATABASE?host=${folder// /%20}"
    ;;
  'pitr 3' | 'pitr 4')
    cp -R "$2" "$folder/data"
    chmod 700 "$folder/data"
    rm -f "$folder/data/standby.signal" "$folder/data/postmaster.pid"
    touch "$folder/data/recovery.signal"
    recovery="-c hot_standby=off -c restore_command='cp \"$(cd "$3" && pwd)/%f\" \"%p\"'"
    [[ -z ${4:-} ]] || recovery+=" -c recovery_target_time='$4' -c recovery_target_action=promote"
    start_postgres "$recovery"
    export DATABASE_URL="postgres://$PGUSER@localhost/$PGDATABASE?host=${folder// /%20}"
    ;;
  *) usage ;;
esac
ok "restored in $((SECONDS - started_at)) s"

export MIGRATE_ON_START=false
problem=$(program migrate --check) ||
  fail "its schema is that of this program; if it is older, pet-store migrate updates it: $problem"
ok 'its schema is that of this program'

program export >"$folder/pets.ndjson" || fail 'every pet can be read'
count=$(wc -l <"$folder/pets.ndjson" | tr -d ' ')
((count >= ${AT_LEAST:-1})) || fail "it has $count pets, and should have at least ${AT_LEAST:-1}"
ok "every pet can be read: $count; the last one is $(tail -n 1 "$folder/pets.ndjson")"
ok "SHA-256 of pet-store export: $(sha256sum <"$folder/pets.ndjson" | cut -d ' ' -f 1)"

key=$(program keys create --name restore-drill 2>/dev/null) || fail 'a key can be created'
"${PET_STORE:-pet-store}" serve >"$folder/service.log" 2>&1 &
service=$!
address=''
for _ in $(seq 100); do
  address=$(sed -n 's/.*"address":"\(http[^"]*v1\)".*/\1/p' "$folder/service.log" | head -n 1)
  [[ -z $address ]] || break
  sleep 0.1
done
[[ -n $address ]] || fail "the service starts on it: $(tail -n 3 "$folder/service.log")"
request() {
  curl --silent --max-time 10 --output "$folder/body" --write-out '%{http_code}' \
    --header "Authorization: Bearer $key" "$@"
}
status=$(request "$address/pets?limit=1") || true
[[ $status == 200 ]] || fail "the service lists pets: $status"
status=$(request --header 'Content-Type: application/json' \
  --data '{"name":"Restore drill","categoryId":1}' "$address/pets") || true
[[ $status == 201 ]] || fail "the service creates pets: $status"
ok 'the service lists and creates pets on it'
