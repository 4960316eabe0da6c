#!/usr/bin/env bash
# Makes a stand-in for the official Node image from packages of Debian and npm, for machines that
# cannot reach a registry of images. Run as root: deploy/assemble-node-image.sh NAME. ENGINE is as
# in verify-image.sh.
set -euo pipefail
name=${1:?the name that the image gets}
read -ra engine <<<"${ENGINE:-podman}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

debootstrap --variant=minbase bookworm "$work/root" >"$work/log" 2>&1 ||
  { tail "$work/log" >&2; exit 1; }
rm -rf "$work"/root/var/cache/apt/* "$work"/root/var/lib/apt/lists/* "$work"/root/var/log/*

npm install --prefix "$work" --no-save --silent node@24 npm@11
install "$(readlink -f "$work/node_modules/node/bin/node")" "$work/root/usr/local/bin/node"
mkdir -p "$work/root/usr/local/lib/node_modules"
cp -R "$work/node_modules/npm" "$work/root/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/root/usr/local/bin/npm"
chroot "$work/root" useradd --uid 1000 --user-group --create-home node

# If this machine trusts authorities of its own, builds on the image must trust them as well.
changes=()
if [[ -n ${NODE_EXTRA_CA_CERTS:-} ]]; then
  install -D --mode=644 "$NODE_EXTRA_CA_CERTS" "$work/root/etc/ssl/certs/machine.crt"
  changes=(--change 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/machine.crt')
fi

tar -C "$work/root" -c . | "${engine[@]}" import "${changes[@]}" - "$name"
