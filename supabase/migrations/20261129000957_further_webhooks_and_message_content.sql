set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.conversation_messages add column content jsonb default '{}'::jsonb not null;

-- Adds a message and reports it to the company's webhook. The conversation's row is the lock: numbers have no gaps,
-- and a repeated client_message_id finds the first message. outcome: posted, repeated, closed, quota (with the cap
-- that the visitor reached, as use_visitor_quota returns it), or no row when there is no such conversation. A
-- visitor's message counts with its bytes and 256 more for its row. content: what the message has beside its text.
create or replace function outbound.add_message(
  p_company_id uuid, p_conversation_id uuid, p_author text, p_text text, p_client_message_id uuid, p_content jsonb
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_conversation outbound.conversations;
  v_message outbound.conversation_messages;
  v_bytes constant int := case when p_author = 'visitor' then octet_length(p_text) + octet_length(p_content::text) + 256 else 0 end;
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
    (company_id, conversation_id, sequence, author, text, client_message_id, content)
  values
    (p_company_id, p_conversation_id, v_conversation.last_sequence + 1, p_author, p_text, p_client_message_id, p_content)
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

revoke execute on function outbound.add_message from public;

-- Adds a message of an operator, as add_message does, with who wrote it and a row in the audit.
create or replace function outbound.add_reply(
  p_company_id uuid, p_conversation_id uuid, p_text text, p_client_message_id uuid, p_content jsonb, p_actor text,
  p_request_id text
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_posted record;
begin
  select * into v_posted
  from outbound.add_message(p_company_id, p_conversation_id, 'operator', p_text, p_client_message_id, p_content);
  if not found then
    return;
  end if;
  if v_posted.outcome = 'posted' then
    update outbound.conversation_messages as m set actor = p_actor
    where m.company_id = p_company_id and m.conversation_id = p_conversation_id
      and m.sequence = (v_posted.message ->> 'sequence')::int;
    perform outbound.write_audit(p_company_id, p_actor, 'conversation.replied', p_conversation_id::text, null,
      jsonb_build_object('message_id', v_posted.message ->> 'id'), p_request_id);
  end if;
  return query select v_posted.outcome, v_posted.message, v_posted.cap, v_posted.quota, v_posted.used;
end
$$;

revoke execute on function outbound.add_reply from public;

-- Returns a message as all responses show it: what it has beside its text are fields of their own.
create or replace function outbound.describe_message(p_message outbound.conversation_messages)
returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select p_message.content || jsonb_build_object(
    'id', p_message.id, 'sequence', p_message.sequence, 'author', p_message.author, 'text', p_message.text,
    'created_at', outbound.iso_time(p_message.created_at), 'client_message_id', p_message.client_message_id)
$$;

revoke execute on function outbound.describe_message from public;

-- add_message and add_reply of a text alone.
create or replace function outbound.post_message(
  p_company_id uuid, p_conversation_id uuid, p_author text, p_text text, p_client_message_id uuid
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language sql security invoker set search_path = ''
as $$
  select * from outbound.add_message(p_company_id, p_conversation_id, p_author, p_text, p_client_message_id, '{}')
$$;

revoke execute on function outbound.post_message from public;

create or replace function outbound.post_reply(
  p_company_id uuid, p_conversation_id uuid, p_text text, p_client_message_id uuid, p_actor text, p_request_id text
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language sql security invoker set search_path = ''
as $$
  select * from outbound.add_reply(
    p_company_id, p_conversation_id, p_text, p_client_message_id, '{}', p_actor, p_request_id)
$$;

revoke execute on function outbound.post_reply from public;

-- Sends a request to the dispatch function when a message, a reply, an event or a push waits to be sent, a file that a person
-- sent waits to be stored, a dispatcher that died or the platform left a reply's outcome open, a call or a voice session
-- has to be checked, or the webhook has to be probed before a message's window ends. Needs pg_net and an address: Vault's secrets outbound_dispatch_url and
-- outbound_dispatch_secret, or the settings row dispatch {"url": …, "secret": …}. Returns whether a request was
-- queued. pg_net sends it after the commit.
create or replace function outbound.invoke_dispatch()
returns boolean
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_url text;
  v_secret text;
begin
  if to_regnamespace('net') is null or not outbound.is_active_cell() or not (
    exists (
      select from outbound.sender_schedule as t
      where t.due_at <= now() and t.due_at >= outbound.due_from('senders')
    )
    or exists (select 1 from outbound.calls as k where k.check_at <= now() - interval '2 minutes')
    or exists (select 1 from outbound.voice_sessions as v where v.check_at <= now() - interval '2 minutes')
    or exists (
      select 1 from outbound.reply_schedule as s
      where s.due_at <= now() and s.due_at >= outbound.due_from('replies') and exists (
        select from outbound.senders as o
        where o.company_id = s.company_id and o.id = s.sender_id and outbound.may_reply(o)
      )
    )
    or exists (
      select 1 from outbound.received_media_schedule as s
      where s.due_at <= now() and s.due_at >= outbound.due_from('received_media')
    )
    -- By its order: any other index on what is queued would lead to all of it.
    or coalesce((
      select m.expires_at from outbound.contact_messages as m where m.status = 'queued' order by m.expires_at limit 1
    ) <= now(), false)
    or exists (
      select 1 from outbound.contact_messages as m
      where m.status in ('sending', 'unconfirmed') and m.lease_until <= now() limit 1
    )
    or exists (
      select 1 from outbound.queue as n
      where n.status = 'unconfirmed' and not n.voice and n.lease_until >= outbound.leases_from()
        and n.lease_until <= now() + interval '30 seconds' limit 1
    )
    or exists (
      select 1
      from (
        select coalesce(array_agg(d.company_id), '{}') as companies, coalesce(array_agg(d.endpoint_id), '{}') as endpoints
        from outbound.due_endpoints(64, 64) as d
      ) as due, outbound.serve_endpoints(due.companies, due.endpoints)
    )
    or exists (select 1 from outbound.push_notices as p where p.run_at <= now())
  ) then
    return false;
  end if;
  if to_regclass('vault.decrypted_secrets') is not null then
    execute format('select max(decrypted_secret) filter (where name = $1), '
      'max(decrypted_secret) filter (where name = $2) from %I.decrypted_secrets', 'vault')
      into v_url, v_secret using 'outbound_dispatch_url', 'outbound_dispatch_secret';
  end if;
  if v_url is null then
    select s.value ->> 'url', s.value ->> 'secret' into v_url, v_secret
    from outbound.settings as s where s.name = 'dispatch';
  end if;
  if v_url is null or v_secret is null then
    return false;
  end if;
  execute format('select %I.http_post(url := $1, body := $3, headers := $2, timeout_milliseconds := 5000)', 'net')
    using v_url, jsonb_build_object('Content-Type', 'application/json', 'Authorization', 'Bearer ' || v_secret),
      '{}'::jsonb;
  return true;
end
$$;

revoke execute on function outbound.invoke_dispatch from public;

-- Processes of the version before may still call this one: if so, drop it in the next release.
drop function outbound.companies_with_new_deliveries();

-- Processes of the version before may still call this one: if so, drop it in the next release.
drop function outbound.defer_deliveries(p_scheduled uuid[]);

-- Processes of the version before may still call this one: if so, drop it in the next release.
drop function outbound.fill_contact(p_company_id uuid, p_contact_id uuid, p_source text, p_person jsonb);

-- Processes of the version before may still call this one: if so, drop it in the next release.
drop function outbound.replay_events(p_company_id uuid, p_event_id text, p_since timestamp with time zone);

-- Processes of the version before may still call this one: if so, drop it in the next release.
drop function outbound.stop_webhook(p_company_id uuid, p_reason text);

reset check_function_bodies;
