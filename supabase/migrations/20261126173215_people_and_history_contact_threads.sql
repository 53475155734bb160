set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.contact_threads add column labels text[] default '{}'::text[] not null;

create or replace trigger contact_threads_delete_notes after delete on outbound.contact_threads
  referencing old table as old_rows
  for each statement execute function outbound.delete_notes();

reset check_function_bodies;
