set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.conversation_messages add column actor text;

reset check_function_bodies;
