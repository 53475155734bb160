set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.conversations add column contact_id uuid;

alter table outbound.conversations add column labels text[] default '{}'::text[] not null;

create or replace trigger conversations_delete_notes after delete on outbound.conversations
  referencing old table as old_rows
  for each statement execute function outbound.delete_notes();

reset check_function_bodies;
