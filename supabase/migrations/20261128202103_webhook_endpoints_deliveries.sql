set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.webhook_deliveries add column endpoint_id uuid default '00000000-0000-0000-0000-000000000000'::uuid not null;

alter table outbound.webhook_deliveries add column request_headers json;

reset check_function_bodies;
