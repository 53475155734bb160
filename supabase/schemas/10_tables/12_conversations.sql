-- Chats between visitors and operators.
create table outbound.conversations (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  widget_id uuid not null,
  -- Created and stored by the visitor's browser.
  user_id uuid not null,
  -- SHA-256 of the visitor's token in hex. The token identifies the visitor.
  token_hash text not null,
  status text not null default 'open',
  language text,
  -- The page it was opened on: the address without query and fragment, and the title.
  page_url text,
  page_title text,
  -- Messages are numbered without gaps, so a reader knows by the last number which ones it has.
  last_sequence int not null default 0,
  -- Whose message is the last one that matters to members: visitor while one of them should reply.
  last_author text,
  last_message_at timestamptz,
  -- How much its visitor may still store before more is taken from the day's quota.
  stored_bytes_left int not null default 0,
  visitor_typing_until timestamptz,
  operator_typing_until timestamptz,
  -- The member who takes care of it.
  assigned_to uuid,
  state text not null generated always as (outbound.inbox_state(status, last_author = 'visitor')) stored,
  -- Where changes are found (mark_change).
  changed_xid bigint not null default pg_current_xact_id()::text::bigint,
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  -- The contact of the visitor, where the website's server has signed who that is.
  contact_id uuid,
  -- In their order, each once.
  labels text[] not null default '{}',
  -- The number of the last message that each side has read. Its own messages count.
  visitor_read int not null default 0,
  operator_read int not null default 0,
  -- While an operator types: the name that the visitor sees.
  operator_typing_name text,
  -- Where the visitor wants replies by e-mail. It is not confirmed, so it identifies no contact.
  visitor_email text,
  -- When conversation.follow_up is due, while the visitor has not read a reply.
  follow_up_at timestamptz,
  -- The text that the visitor accepted before the first message: {text, link, accepted_at}.
  consent jsonb,
  -- The visitor's rating of it, 1 to 5.
  rating int,
  rating_comment text,
  rated_at timestamptz,
  -- idle: members reply. replying: a machine replied to the last message and no member is wanted. silent: the visitor
  -- asked for a person, or a member has replied; no machine replies any more.
  assistant text not null default 'idle',
  -- When the visitor asked for a person.
  handoff_requested_at timestamptz,
  constraint conversations_pkey primary key (company_id, id),
  constraint conversations_widget_fkey foreign key (company_id, widget_id)
    references outbound.widgets (company_id, id) on delete cascade,
  constraint conversations_assigned_fkey foreign key (company_id, assigned_to)
    references outbound.memberships (company_id, user_id) on delete set null (assigned_to),
  constraint conversations_token_check check (token_hash ~ '^[0-9a-f]{64}$'),
  constraint conversations_status_check check (status in ('open', 'closed')),
  constraint conversations_closed_check check ((status = 'closed') = (closed_at is not null)),
  constraint conversations_rating_check check (rating between 1 and 5),
  constraint conversations_comment_check check (length(rating_comment) <= 2000),
  constraint conversations_rated_check check ((rating is null) = (rated_at is null)),
  constraint conversations_email_check check (length(visitor_email) <= 254),
  constraint conversations_assistant_check check (assistant in ('idle', 'replying', 'silent')),
  constraint conversations_last_check
    check ((last_sequence = 0) = (last_author is null) and (last_sequence = 0) = (last_message_at is null))
) with (fillfactor = 80);
-- A visitor presents an id and a token and does not know the company.
create unique index conversations_id_idx on outbound.conversations (id);
create unique index conversations_token_idx on outbound.conversations (token_hash);
-- The inbox (read_inbox): all of it, of one state, and of one member.
create index conversations_recent_idx on outbound.conversations (company_id, last_message_at, id)
  where last_sequence > 0;
create index conversations_state_idx on outbound.conversations (company_id, state, last_message_at, id)
  where last_sequence > 0;
create index conversations_assigned_idx on outbound.conversations (company_id, assigned_to, last_message_at, id)
  where assigned_to is not null;
-- By a label; terms carry the company.
create index conversations_labels_idx on outbound.conversations using gin (outbound.tag_terms(company_id, labels))
  where labels <> '{}';
-- Rows that changed a moment ago (changes_of_people).
create index conversations_changed_idx on outbound.conversations (company_id, changed_xid)
  where last_sequence > 0 and changed_xid is not null;
-- Conversations that were opened and never written in; clean_up deletes them.
create index conversations_empty_idx on outbound.conversations (created_at) where last_sequence = 0;
alter table outbound.conversations enable row level security;
-- The chats of one person.
create index conversations_contact_idx on outbound.conversations (company_id, contact_id, created_at)
  where contact_id is not null;
-- Replies that wait to be read (follow_up_conversations).
create index conversations_follow_up_idx on outbound.conversations (follow_up_at) where follow_up_at is not null;
-- The chats of one e-mail address (chats_of_contacts).
create index conversations_email_idx on outbound.conversations (company_id, visitor_email)
  where visitor_email is not null;
create trigger conversations_mark_change before update on outbound.conversations
  for each row execute function outbound.mark_change();
create trigger conversations_delete_notes after delete on outbound.conversations
  referencing old table as old_rows
  for each statement execute function outbound.delete_notes();
create trigger conversations_delete_files after delete on outbound.conversations
  referencing old table as old_rows
  for each statement execute function outbound.delete_files_of_chats();
-- The messages of visitors and operators.
create table outbound.conversation_messages (
  company_id uuid not null,
  conversation_id uuid not null,
  sequence int not null,
  id uuid not null default gen_random_uuid(),
  author text not null,
  text text not null,
  -- Created by the author's client; the same id again is the same message.
  client_message_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  -- operator: the author, as in audit_log; null where that was not recorded yet.
  actor text,
  -- Fields that it has beside its text, as responses show them (describe_message).
  content jsonb not null default '{}',
  constraint conversation_messages_pkey primary key (company_id, conversation_id, sequence),
  constraint conversation_messages_conversation_fkey foreign key (company_id, conversation_id)
    references outbound.conversations (company_id, id) on delete cascade,
  constraint conversation_messages_author_check check (author in ('visitor', 'operator', 'system')),
  constraint conversation_messages_text_check check (length(text) between 1 and 4000),
  constraint conversation_messages_sequence_check check (sequence > 0)
);
create unique index conversation_messages_client_idx
  on outbound.conversation_messages (company_id, conversation_id, client_message_id)
  where client_message_id is not null;
-- A part of a text (search_messages).
create index conversation_messages_text_idx on outbound.conversation_messages
  using gin (outbound.search_terms(company_id, left(text, 500)));
alter table outbound.conversation_messages enable row level security;

-- Replies of an agent of the voice platform that visitors wait for (owe_agent_reply), one per conversation: it is for
-- all that the visitor has written since the last one. A row ends with the reply, or when a person is to reply.
create table outbound.agent_replies (
  company_id uuid not null,
  conversation_id uuid not null,
  -- The numbers of the first and the last message that wait.
  from_sequence int not null,
  to_sequence int not null,
  -- A member was wanted before: the conversation goes on waiting for one.
  member_wanted boolean not null,
  owed_at timestamptz not null default now(),
  -- Counts the claims. With worker, it is the fence.
  attempt int not null default 0,
  -- Not claimed before this time; while it is claimed, the end of the lease.
  run_at timestamptz not null,
  worker text,
  constraint agent_replies_pkey primary key (company_id, conversation_id),
  constraint agent_replies_conversation_fkey foreign key (company_id, conversation_id)
    references outbound.conversations (company_id, id) on delete cascade,
  constraint agent_replies_sequence_check check (from_sequence between 1 and to_sequence)
) with (fillfactor = 70);
create index agent_replies_due_idx on outbound.agent_replies (run_at);
-- Those that dispatchers have claimed, to count them by company.
create index agent_replies_claimed_idx on outbound.agent_replies (company_id, run_at) where worker is not null;
alter table outbound.agent_replies enable row level security;

-- Notes of members for each other about a conversation: a chat, or a thread (contact_threads). They are never sent.
create table outbound.conversation_notes (
  company_id uuid not null,
  id uuid not null,
  -- Of one of two tables: delete_notes deletes.
  conversation_id uuid not null,
  -- As in audit_log.
  actor text not null,
  text text not null,
  created_at timestamptz not null default now(),
  constraint conversation_notes_pkey primary key (company_id, id),
  constraint conversation_notes_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint conversation_notes_text_check check (length(text) between 1 and 4000)
);
create index conversation_notes_conversation_idx on outbound.conversation_notes (company_id, conversation_id, id);
alter table outbound.conversation_notes enable row level security;

-- Texts that members choose from when they reply, with variables such as {{name}}.
create table outbound.canned_replies (
  company_id uuid not null,
  id uuid not null,
  -- Typed to find it, in small letters.
  shortcut text not null,
  text text not null,
  -- As in audit_log.
  created_by text not null,
  updated_at timestamptz not null default now(),
  constraint canned_replies_pkey primary key (company_id, id),
  constraint canned_replies_shortcut_key unique (company_id, shortcut),
  constraint canned_replies_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
alter table outbound.canned_replies enable row level security;
