set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.notification_facts add column area text;

alter table outbound.notification_facts add column cancelled_at timestamp with time zone;

create or replace trigger notification_facts_record_history after update on outbound.notification_facts
  referencing old table as old_rows new table as new_rows
  for each statement execute function outbound.record_history();

reset check_function_bodies;
