set local lock_timeout = '2s';

alter table outbound.media_files add column conversation_id uuid;
