set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.senders add column live_sender_id uuid;

reset check_function_bodies;
