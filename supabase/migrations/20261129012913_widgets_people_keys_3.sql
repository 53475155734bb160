set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.media_usage add column visitor_bytes bigint default 0 not null;

reset check_function_bodies;
