set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.webhook_endpoints drop constraint webhook_endpoints_types_check;

alter table outbound.webhook_endpoints add constraint webhook_endpoints_types_check CHECK (outbound.are_event_types(event_types));

reset check_function_bodies;
