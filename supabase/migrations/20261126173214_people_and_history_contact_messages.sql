set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.contact_messages add column actor text;

create or replace trigger contact_messages_delete_media after delete on outbound.contact_messages
  referencing old table as old_rows
  for each statement execute function outbound.delete_received_media();

reset check_function_bodies;
