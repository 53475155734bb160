set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.senders add column over_budget boolean;

create or replace trigger senders_keep_history after update on outbound.senders
  for each row when (
    (old.messaging_limit, old.quality) is distinct from (new.messaging_limit, new.quality)
  ) execute function outbound.keep_sender_history();

reset check_function_bodies;
