set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.webhooks add column is_test boolean;

reset check_function_bodies;
