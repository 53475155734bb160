-- no transaction
create index concurrently media_files_conversation_idx on outbound.media_files (company_id, conversation_id)
  where conversation_id is not null;
