set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.media_files add column conversation_id uuid;

create index media_files_conversation_idx on outbound.media_files (company_id, conversation_id)
  where conversation_id is not null;

reset check_function_bodies;
