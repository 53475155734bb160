set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.conversations add column visitor_read integer default 0 not null;

alter table outbound.conversations add column operator_read integer default 0 not null;

alter table outbound.conversations add column operator_typing_name text;

alter table outbound.conversations add column visitor_email text;

alter table outbound.conversations add column follow_up_at timestamp with time zone;

alter table outbound.conversations add column consent jsonb;

alter table outbound.conversations add column rating integer;

alter table outbound.conversations add column rating_comment text;

alter table outbound.conversations add column rated_at timestamp with time zone;

alter table outbound.conversations add column assistant text default 'idle'::text not null;

alter table outbound.conversations add column handoff_requested_at timestamp with time zone;

alter table outbound.conversations add constraint conversations_assistant_check CHECK ((assistant = ANY (ARRAY['idle'::text, 'replying'::text, 'silent'::text])));

alter table outbound.conversations add constraint conversations_comment_check CHECK ((length(rating_comment) <= 2000));

alter table outbound.conversations add constraint conversations_email_check CHECK ((length(visitor_email) <= 254));

alter table outbound.conversations add constraint conversations_rated_check CHECK (((rating IS NULL) = (rated_at IS NULL)));

alter table outbound.conversations add constraint conversations_rating_check CHECK (((rating >= 1) AND (rating <= 5)));

-- Replies that wait to be read (follow_up_conversations).
create index conversations_follow_up_idx on outbound.conversations (follow_up_at) where follow_up_at is not null;

-- The chats of one e-mail address (chats_of_contacts).
create index conversations_email_idx on outbound.conversations (company_id, visitor_email)
  where visitor_email is not null;

create or replace trigger conversations_delete_files after delete on outbound.conversations
  referencing old table as old_rows
  for each statement execute function outbound.delete_files_of_chats();

reset check_function_bodies;
