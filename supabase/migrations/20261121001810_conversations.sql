-- What visitors and operators write to each other in a chat widget.
create table outbound.conversations (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  widget_id uuid not null,
  -- Made and kept by the visitor's browser.
  user_id uuid not null,
  -- SHA-256 of the visitor's token in hex: whoever shows it is the visitor.
  token_hash text not null,
  status text not null default 'open',
  language text,
  -- The page it was opened on: the address without query and fragment, and the title.
  page_url text,
  page_title text,
  -- Messages are numbered without gaps, so that a reader knows by the last number what it has.
  last_sequence int not null default 0,
  last_author text,
  last_message_at timestamptz,
  -- What its visitor may still store before more is taken from the day's quota.
  stored_bytes_left int not null default 0,
  visitor_typing_until timestamptz,
  operator_typing_until timestamptz,
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  constraint conversations_pkey primary key (company_id, id),
  constraint conversations_widget_fkey foreign key (company_id, widget_id)
    references outbound.widgets (company_id, id) on delete cascade,
  constraint conversations_token_check check (token_hash ~ '^[0-9a-f]{64}$'),
  constraint conversations_status_check check (status in ('open', 'closed')),
  constraint conversations_closed_check check ((status = 'closed') = (closed_at is not null)),
  constraint conversations_last_check
    check ((last_sequence = 0) = (last_author is null) and (last_sequence = 0) = (last_message_at is null))
) with (fillfactor = 80);
-- A visitor shows an id and a token and does not know the company.
create unique index conversations_id_idx on outbound.conversations (id);
create unique index conversations_token_idx on outbound.conversations (token_hash);
create index conversations_recent_idx on outbound.conversations (company_id, last_message_at desc, id)
  where last_sequence > 0;
-- What clean_up takes away: opened, and never written in.
create index conversations_empty_idx on outbound.conversations (created_at) where last_sequence = 0;
alter table outbound.conversations enable row level security;

create table outbound.conversation_messages (
  company_id uuid not null,
  conversation_id uuid not null,
  sequence int not null,
  id uuid not null default gen_random_uuid(),
  author text not null,
  text text not null,
  -- Made by the sender: the same one again is the same message.
  client_message_id uuid,
  created_at timestamptz not null default clock_timestamp(),
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
alter table outbound.conversation_messages enable row level security;

-- Conversations take storage from the day's quota in pieces, so that a message seldom touches the row that all visitors of
-- a widget share. A piece holds the longest message.
create function outbound.stored_bytes_per_piece()
returns int
language sql immutable security invoker set search_path = ''
return 16384;
revoke execute on function outbound.stored_bytes_per_piece from public;

-- Opens a conversation and counts it. Returns its id, or the cap that is in the way as use_visitor_quota does.
create function outbound.open_conversation(
  p_company_id uuid, p_widget_id uuid, p_user_id uuid, p_token_hash text, p_language text, p_page_url text,
  p_page_title text
)
returns table (id uuid, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_reached record;
  v_id uuid;
begin
  select * into v_reached from outbound.use_visitor_quota(
    p_company_id, p_widget_id, null, null, 1, outbound.stored_bytes_per_piece());
  if v_reached.cap is null then
    insert into outbound.conversations as c (
      company_id, widget_id, user_id, token_hash, language, page_url, page_title, stored_bytes_left
    )
    values (
      p_company_id, p_widget_id, p_user_id, p_token_hash, p_language, p_page_url, p_page_title,
      outbound.stored_bytes_per_piece()
    )
    returning c.id into v_id;
  end if;
  return query select v_id, v_reached.cap, v_reached.quota, v_reached.used;
end
$$;
revoke execute on function outbound.open_conversation from public;

-- Adds a message and reports it to the company's webhook. The conversation's row is the lock: numbers have no gaps, and a
-- repeated client_message_id finds the first. outcome: posted, repeated, closed, quota (with the cap that is in a
-- visitor's way, as use_visitor_quota returns it), or no row when there is no such conversation. A visitor's message
-- counts with its bytes and 256 more for its row.
create function outbound.post_message(
  p_company_id uuid, p_conversation_id uuid, p_author text, p_text text, p_client_message_id uuid
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_conversation outbound.conversations;
  v_message outbound.conversation_messages;
  v_bytes constant int := case when p_author = 'visitor' then octet_length(p_text) + 256 else 0 end;
  v_left int;
  v_reached record;
begin
  select * into v_conversation from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id
  for no key update;
  if not found then
    return;
  end if;
  select * into v_message from outbound.conversation_messages as m
  where m.company_id = p_company_id and m.conversation_id = p_conversation_id
    and m.client_message_id = p_client_message_id;
  if found then
    return query select 'repeated', outbound.describe_message(v_message), null::text, null::int, null::int;
    return;
  end if;
  if v_conversation.status <> 'open' then
    return query select 'closed', null::jsonb, null::text, null::int, null::int;
    return;
  end if;
  v_left := v_conversation.stored_bytes_left - v_bytes;
  if v_left < 0 then
    select * into v_reached from outbound.use_visitor_quota(
      p_company_id, v_conversation.widget_id, null, null, null, outbound.stored_bytes_per_piece());
    if v_reached.cap is not null then
      return query select 'quota', null::jsonb, v_reached.cap, v_reached.quota, v_reached.used;
      return;
    end if;
    v_left := v_left + outbound.stored_bytes_per_piece();
  end if;
  insert into outbound.conversation_messages
    (company_id, conversation_id, sequence, author, text, client_message_id)
  values
    (p_company_id, p_conversation_id, v_conversation.last_sequence + 1, p_author, p_text, p_client_message_id)
  returning * into v_message;
  update outbound.conversations as c
  set last_sequence = v_message.sequence, last_author = p_author, last_message_at = v_message.created_at,
    stored_bytes_left = v_left,
    visitor_typing_until = case when p_author = 'visitor' then null else c.visitor_typing_until end,
    operator_typing_until = case when p_author = 'operator' then null else c.operator_typing_until end
  where c.company_id = p_company_id and c.id = p_conversation_id;
  perform outbound.report_message(v_conversation, v_message);
  return query select 'posted', outbound.describe_message(v_message), null::text, null::int, null::int;
end
$$;
revoke execute on function outbound.post_message from public;

-- A message as all answers and events show it.
create function outbound.describe_message(p_message outbound.conversation_messages)
returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select jsonb_build_object(
    'id', p_message.id, 'sequence', p_message.sequence, 'author', p_message.author, 'text', p_message.text,
    'created_at', outbound.iso_time(p_message.created_at), 'client_message_id', p_message.client_message_id)
$$;
revoke execute on function outbound.describe_message from public;

-- conversation.message, and before the first one of a conversation conversation.started: one that was opened and never
-- written in is nobody's business.
create function outbound.report_message(
  p_conversation outbound.conversations, p_message outbound.conversation_messages
)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  if p_message.sequence = 1 then
    perform outbound.write_event(p_message.company_id, 'conversation.started', p_message.created_at,
      json_build_object(
        'company_id', p_message.company_id, 'conversation_id', p_message.conversation_id,
        'widget_id', p_conversation.widget_id, 'user_id', p_conversation.user_id,
        'language', p_conversation.language, 'page_url', p_conversation.page_url,
        'page_title', p_conversation.page_title,
        'created_at', outbound.iso_time(p_conversation.created_at)));
  end if;
  perform outbound.write_event(p_message.company_id, 'conversation.message', p_message.created_at,
    json_build_object(
      'company_id', p_message.company_id, 'conversation_id', p_message.conversation_id,
      'widget_id', p_conversation.widget_id, 'user_id', p_conversation.user_id,
      'message_id', p_message.id, 'sequence', p_message.sequence, 'author', p_message.author,
      'text', p_message.text, 'created_at', outbound.iso_time(p_message.created_at)));
end
$$;
revoke execute on function outbound.report_message from public;

-- Ends a conversation: it can be read, but not written in any more. Answers its status before, null when there is none.
create function outbound.close_conversation(p_company_id uuid, p_conversation_id uuid)
returns text
language plpgsql security invoker set search_path = ''
as $$
declare
  v_status text;
begin
  select c.status into v_status from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id
  for no key update;
  update outbound.conversations as c
  set status = 'closed', closed_at = now(), visitor_typing_until = null, operator_typing_until = null
  where c.company_id = p_company_id and c.id = p_conversation_id and c.status = 'open';
  return v_status;
end
$$;
revoke execute on function outbound.close_conversation from public;
