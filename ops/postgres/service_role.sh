#!/bin/sh
# Makes the role of the service when the database is made; `migrate --grant-to` gives it its rights.
set -eu
psql --quiet --no-psqlrc --set=ON_ERROR_STOP=1 --set=password="$SERVICE_PASSWORD" \
  --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
create role outbound_service login password :'password';
-- For the age of the oldest snapshot in the metrics.
grant pg_read_all_stats to outbound_service;
SQL
