#!/bin/sh
# Runs a command of the image, with the flags that its task has in deno.json; packages come from the image alone.
set -eu

command=${1:-serve}
[ $# -eq 0 ] || shift

run() {
  exec deno run --quiet --cached-only --no-prompt --no-remote --frozen "$@"
}

cd /srv/outbound
case $command in
serve | dispatch)
  run -P=service "cli/$command.ts" "$@"
  ;;
migrate | doctor)
  run -P="$command" "cli/$command.ts" "$@"
  ;;
health)
  run -P=health cli/health_check.ts
  ;;
admin)
  run -A cli/admin.ts "$@"
  ;;
*)
  echo "Commands: serve, dispatch, migrate, admin, doctor, health; not '$command'" >&2
  exit 64
  ;;
esac
