set local lock_timeout = '2s';
set check_function_bodies = off;

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

-- Returns the chores of a dispatcher that have something to do, by name: one look by small indexes instead of a query
-- per chore, most of which would find nothing. A chore that is named may still find nothing, because what waits is not
-- due or is locked; one that is not named would find nothing. In a database that is not the one that works only the
-- tick, which says so.
create or replace function outbound.open_chores(p_by text default 'dispatcher')
returns text[]
language plpgsql stable security invoker set search_path = ''
-- One plan, made once per connection, that uses indexes whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  -- Once: each call of these functions is a query.
  v_leases_from constant timestamptz := outbound.leases_from();
  v_replies_from constant timestamptz := outbound.due_from('replies');
  v_history_from constant timestamptz := outbound.due_from('history');
  v_media_from constant timestamptz := outbound.due_from('received_media');
begin
  if not outbound.is_active_cell() then
    return array['tick'];
  end if;
  return array(
    select chore.name from (values
      (
        'tick',
        exists (
          select from outbound.queue as n
          where n.status in ('sending', 'unconfirmed') and n.lease_until <= now()
            and n.lease_until >= v_leases_from
        )
        or exists (
          select from outbound.queue as n where n.status = 'queued' and n.expires_at <= now()
        )
        or exists (
          select from outbound.webhook_deliveries as d
          where d.status = 'pending' and d.worker is not null and d.run_at <= now()
            and d.run_at >= v_leases_from
        )
        or exists (select from outbound.handoffs as h where h.status <> 'ended' and h.expires_at <= now())
        or exists (select from outbound.conversations as v where v.follow_up_at <= now())
        or exists (select from outbound.campaigns as g where g.open_until <= now())
        -- A tick has work whatever is due: it records that a dispatcher keeps time, and repairs turns.
        or not exists (
          select from outbound.settings as s
          where s.name = 'last_tick:' || p_by and s.updated_at > now() - interval '10 seconds'
        )
      ),
      (
        'outages',
        exists (
          select from outbound.sender_rate_state as p
          where p.unreachable_since is not null and p.blocked_until > now() - interval '2 minutes'
        )
        or exists (select from outbound.settings as s where s.name in ('outage:whatsapp', 'outage:voice'))
      ),
      (
        'events',
        exists (select from outbound.platform_events as e where e.applied_at is null and e.apply_at <= now())
      ),
      (
        'account_events',
        exists (select from outbound.account_events as e where e.applied_at is null)
        or exists (select from outbound.senders as s where s.stopped_until <= now())
      ),
      (
        'template_events',
        exists (select from outbound.template_events as e where e.applied_at is null)
        or exists (select from outbound.templates as t where t.unsettled)
      ),
      (
        'replies',
        exists (
          select from outbound.reply_schedule as s
          where s.due_at <= now() and s.due_at >= v_replies_from
        )
        or coalesce((
          select m.expires_at from outbound.contact_messages as m where m.status = 'queued'
          order by m.expires_at limit 1
        ) <= now(), false)
        or exists (
          select from outbound.contact_messages as m
          where m.status in ('sending', 'unconfirmed') and m.lease_until <= now()
        )
      ),
      (
        'received_media',
        exists (
          select from outbound.received_media_schedule as s where s.due_at <= now() and s.due_at >= v_media_from
        )
      ),
      (
        'deliveries',
        exists (select from outbound.webhook_deliveries as d where d.status = 'pending' and not d.deferred)
        or exists (select from outbound.due_endpoints(1, 1))
      ),
      ('pushes', exists (select from outbound.push_notices as p where p.run_at <= now())),
      ('agent_replies', exists (select from outbound.agent_replies as a where a.run_at <= now())),
      ('stopping', exists (select from outbound.campaigns as g where g.stopping_at is not null)),
      ('resends', exists (select from outbound.resends as r)),
      ('uploads', exists (select from outbound.upload_audiences as a where a.next_at <= now())),
      (
        'calls',
        exists (select from outbound.calls as k where k.check_at is not null)
        or exists (select from outbound.notification_facts as n where n.on_call)
      ),
      ('people', exists (select from outbound.named_people as n)),
      ('history', exists (select from outbound.history_changes as c where c.written_at >= v_history_from)),
      ('budgets', exists (select from outbound.budgets as b where b.checked_at < now() - interval '1 minute')),
      ('voice_sessions', exists (select from outbound.voice_sessions as v where v.check_at <= now()))
    ) as chore(name, is_open)
    where chore.is_open
  );
end
$$;

revoke execute on function outbound.open_chores from public;

-- Adds a message and reports it to the company's webhook. The conversation's row is the lock: numbers have no gaps,
-- and a repeated client_message_id finds the first message. outcome: posted, repeated, closed, quota (with the cap
-- that the visitor reached, as use_visitor_quota returns it), or no row when there is no such conversation. A
-- visitor's message, and a machine's to a visitor, counts with its bytes and 256 more for its row. content: what the
-- message has beside its text. Who writes has read all before; a machine reads nothing for the members. A reply of a
-- person ends those of a machine.
create or replace function outbound.add_message(
  p_company_id uuid, p_conversation_id uuid, p_author text, p_text text, p_client_message_id uuid, p_content jsonb
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_open record;
  v_conversation outbound.conversations;
  v_message outbound.conversation_messages;
  v_is_machine constant boolean := coalesce(p_content #> '{sender,is_machine}' = 'true', false);
  v_by_member constant boolean := p_author = 'operator' and not v_is_machine;
  v_bytes constant int := case when p_author = 'visitor' or v_is_machine then octet_length(p_text) + octet_length(p_content::text) + 256 else 0 end;
  v_left int;
  v_reached record;
begin
  select * into v_open from outbound.open_for_message(p_company_id, p_conversation_id, p_client_message_id);
  if not found then
    return;
  elsif v_open.outcome is not null then
    return query select v_open.outcome, v_open.message, null::text, null::int, null::int;
    return;
  end if;
  v_conversation := v_open.conversation;
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
    operator_typing_until = case when p_author = 'operator' then null else c.operator_typing_until end,
    visitor_read = case when p_author = 'visitor' then v_message.sequence else c.visitor_read end,
    operator_read = case when v_by_member then v_message.sequence else c.operator_read end,
    follow_up_at = case
      when p_author = 'visitor' then null
      when v_by_member then coalesce(c.follow_up_at, outbound.follow_up_due(c.company_id, c.widget_id))
      else c.follow_up_at
    end,
    assistant = case when v_by_member then 'silent' else c.assistant end
  where c.company_id = p_company_id and c.id = p_conversation_id;
  perform outbound.report_message(v_conversation, v_message);
  return query select 'posted', outbound.describe_message(v_message), null::text, null::int, null::int;
end
$$;

revoke execute on function outbound.add_message from public;

-- Adds a visitor's message, as add_message does, and in the same transaction a machine's reply. p_reply: null for none,
-- else {text, content, fits}; fits is false when the machine has nothing to say about the question. The reply is left
-- out where a person takes care of the conversation, for a repeated message, and where the visitor's storage is used up;
-- one that does not fit also where the conversation waits for a person already. {is_owed, name} stands for a reply that an
-- agent with this name will give (owe_agent_reply).
-- A conversation that waits for a person goes on waiting, whatever a machine replies.
create or replace function outbound.add_visitor_message(
  p_company_id uuid, p_conversation_id uuid, p_text text, p_client_message_id uuid, p_content jsonb, p_reply jsonb
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_before outbound.conversations;
  v_is_owed constant boolean := coalesce((p_reply ->> 'is_owed')::boolean, false);
  v_may_reply boolean;
  v_fits boolean;
  v_assistant text;
  v_posted record;
  v_reply record;
begin
  select * into v_before from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id
  for no key update;
  v_fits := v_is_owed or (p_reply ->> 'fits')::boolean;
  v_may_reply := p_reply is not null and v_before.assistant <> 'silent' and v_before.assigned_to is null
    and (v_fits or v_before.last_author is distinct from 'visitor');
  v_assistant := case when v_before.assistant = 'silent' then 'silent' when v_may_reply and v_fits then 'replying'
    else 'idle' end;
  -- Before the message is reported: it decides who is notified.
  perform outbound.set_assistant(p_company_id, p_conversation_id, v_assistant);
  select * into v_posted from outbound.add_message(
    p_company_id, p_conversation_id, 'visitor', p_text, p_client_message_id, p_content);
  if v_posted.outcome is distinct from 'posted' then
    perform outbound.set_assistant(p_company_id, p_conversation_id, v_before.assistant);
  elsif v_may_reply and v_is_owed then
    perform outbound.owe_agent_reply(
      v_before, (v_posted.message ->> 'sequence')::int, p_reply ->> 'name');
  elsif v_may_reply then
    select * into v_reply from outbound.add_message(
      p_company_id, p_conversation_id, 'operator', p_reply ->> 'text', null, p_reply -> 'content');
    perform outbound.set_machine_author(
      p_company_id, p_conversation_id, (v_reply.message ->> 'sequence')::int);
    if v_fits and v_reply.outcome <> 'posted' then
      perform outbound.set_assistant(p_company_id, p_conversation_id, 'idle');
      perform outbound.notify_members(p_company_id, 'chat', p_conversation_id, null);
    end if;
    if not v_fits or v_before.last_author = 'visitor' then
      update outbound.conversations as c set last_author = 'visitor'
      where c.company_id = p_company_id and c.id = p_conversation_id;
    end if;
  end if;
  return query select v_posted.outcome, v_posted.message, v_posted.cap, v_posted.quota, v_posted.used
    where v_posted.outcome is not null;
end
$$;

revoke execute on function outbound.add_visitor_message from public;

-- Leases up to p_limit due replies of agents to p_worker for p_lease, the longest due first. All dispatchers together
-- hold about p_limit_each of a company: an agent that does not respond delays those of no other company.
create or replace function outbound.claim_agent_replies(p_worker text, p_limit int, p_limit_each int, p_lease interval)
returns table (
  company_id uuid, conversation_id uuid, from_sequence int, to_sequence int, attempt int, waited_s float8
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per reply.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
#variable_conflict use_column
declare
  v_busy uuid[];
begin
  if not outbound.is_active_cell() then
    return;
  end if;
  v_busy := array(
    select a.company_id from outbound.agent_replies as a
    where a.worker is not null and a.run_at > now()
    group by a.company_id having count(*) >= p_limit_each
  );
  return query
  with candidate as materialized (
    select a.company_id, a.conversation_id, a.run_at from outbound.agent_replies as a
    where a.run_at <= now() and a.company_id <> all (v_busy)
    order by a.run_at limit 500
  ),
  ranked as (
    select c.*, row_number() over (partition by c.company_id order by c.run_at) as turn from candidate as c
  ),
  chosen as (
    select r.* from ranked as r
    where r.turn <= p_limit_each - (
      select count(*) from outbound.agent_replies as a
      where a.company_id = r.company_id and a.worker is not null and a.run_at > now()
    )
    order by r.run_at limit p_limit
  ),
  locked as (
    select a.* from chosen as c
    cross join lateral (
      select o.company_id, o.conversation_id from outbound.agent_replies as o
      where o.company_id = c.company_id and o.conversation_id = c.conversation_id and o.run_at <= now()
      for update skip locked
    ) as a
  )
  update outbound.agent_replies as a
  set worker = p_worker, attempt = a.attempt + 1, run_at = clock_timestamp() + p_lease
  from locked as l
  where a.company_id = l.company_id and a.conversation_id = l.conversation_id
  returning a.company_id, a.conversation_id, a.from_sequence, a.to_sequence, a.attempt,
    extract(epoch from clock_timestamp() - a.owed_at)::float8;
end
$$;

revoke execute on function outbound.claim_agent_replies from public;

-- Records how a claimed reply of an agent went. p_result: {outcome, to_sequence, text, content, wants_person,
-- person_text, retry_in_s}. By its outcome: replied (text, empty for none, and content are the reply to the messages up
-- to to_sequence; with wants_person, the conversation goes to a person after it), retry (due again in retry_in_s), failed
-- (the conversation goes to a person). person_text says to the visitor that a person will reply. Returns what was done:
-- replied, postponed (the visitor has written since, a moment ago: one reply is for all of it), retry, handed_off,
-- dropped (closed, or a person takes care of it), or lost, with no effect: another claim has taken it, or it is recorded.
create or replace function outbound.finish_agent_reply(
  p_company_id uuid, p_conversation_id uuid, p_worker text, p_attempt int, p_result jsonb
)
returns text
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_outcome constant text := p_result ->> 'outcome';
  v_conversation outbound.conversations;
  v_owed outbound.agent_replies;
  v_is_newer boolean;
begin
  select * into v_conversation from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id
  for no key update;
  select * into v_owed from outbound.agent_replies as a
  where a.company_id = p_company_id and a.conversation_id = p_conversation_id
    and a.worker = p_worker and a.attempt = p_attempt
  for update;
  if not found then
    return 'lost';
  end if;
  v_is_newer := v_owed.to_sequence > (p_result ->> 'to_sequence')::int;
  if v_conversation.status <> 'open' or v_conversation.assistant = 'silent' or v_conversation.assigned_to is not null then
    perform outbound.end_agent_reply(p_company_id, p_conversation_id);
    return 'dropped';
  elsif v_outcome = 'retry' then
    perform outbound.put_off_agent_reply(v_owed, make_interval(secs => (p_result ->> 'retry_in_s')::float8));
    return 'retry';
  elsif v_outcome = 'replied' and v_is_newer and v_owed.owed_at > now() - interval '15 seconds' then
    perform outbound.put_off_agent_reply(v_owed, interval '0');
    return 'postponed';
  end if;
  perform outbound.end_agent_reply(p_company_id, p_conversation_id);
  if v_outcome = 'failed' or not outbound.store_agent_reply(v_owed, p_result)
    or (p_result ->> 'wants_person')::boolean
  then
    perform outbound.request_person(p_company_id, p_conversation_id, p_result ->> 'person_text');
    return 'handed_off';
  end if;
  if v_is_newer then
    v_conversation.last_author := case when v_owed.member_wanted then 'visitor' end;
    perform outbound.owe_agent_reply(v_conversation, v_owed.to_sequence, p_result #>> '{content,sender,name}');
    update outbound.agent_replies as a set from_sequence = (p_result ->> 'to_sequence')::int + 1
    where a.company_id = p_company_id and a.conversation_id = p_conversation_id;
  end if;
  return 'replied';
end
$$;

revoke execute on function outbound.finish_agent_reply from public;

-- Makes a reply due again, for any dispatcher.
create or replace function outbound.put_off_agent_reply(p_owed outbound.agent_replies, p_wait interval)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.agent_replies as a set worker = null, run_at = now() + p_wait
  where a.company_id = p_owed.company_id and a.conversation_id = p_owed.conversation_id
$$;

revoke execute on function outbound.put_off_agent_reply from public;

-- Ends the wait for an agent's reply, also for the visitor.
create or replace function outbound.end_agent_reply(p_company_id uuid, p_conversation_id uuid)
returns void
language sql security invoker set search_path = ''
as $$
  delete from outbound.agent_replies as a
  where a.company_id = p_company_id and a.conversation_id = p_conversation_id;
  update outbound.conversations as c set operator_typing_until = null
  where c.company_id = p_company_id and c.id = p_conversation_id;
$$;

revoke execute on function outbound.end_agent_reply from public;

-- Adds an agent's reply to the conversation. Returns false where there is no room for it. Without a text, there is nothing
-- to add.
create or replace function outbound.store_agent_reply(p_owed outbound.agent_replies, p_result jsonb)
returns boolean
language plpgsql security invoker set search_path = ''
as $$
declare
  v_posted record;
begin
  if p_result ->> 'text' = '' then
    return true;
  end if;
  select * into v_posted from outbound.add_message(
    p_owed.company_id, p_owed.conversation_id, 'operator', p_result ->> 'text', null, p_result -> 'content');
  if v_posted.outcome <> 'posted' then
    return false;
  end if;
  perform outbound.set_machine_author(
    p_owed.company_id, p_owed.conversation_id, (v_posted.message ->> 'sequence')::int);
  if p_owed.member_wanted or p_owed.to_sequence > (p_result ->> 'to_sequence')::int then
    update outbound.conversations as c set last_author = 'visitor'
    where c.company_id = p_owed.company_id and c.id = p_owed.conversation_id;
  end if;
  return true;
end
$$;

revoke execute on function outbound.store_agent_reply from public;

-- Locks a conversation for a new message. outcome: repeated (with the message that has p_client_message_id already),
-- closed, or null where the message may be added. No row when there is no such conversation.
create or replace function outbound.open_for_message(p_company_id uuid, p_conversation_id uuid, p_client_message_id uuid)
returns table (conversation outbound.conversations, outcome text, message jsonb)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_conversation outbound.conversations;
  v_message outbound.conversation_messages;
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
    return query select v_conversation, 'repeated', outbound.describe_message(v_message);
  else
    return query select v_conversation, case when v_conversation.status <> 'open' then 'closed' end, null::jsonb;
  end if;
end
$$;

revoke execute on function outbound.open_for_message from public;

-- Records that an agent owes the visitor a reply to message p_sequence, and shows that an author named p_name is
-- typing. p_before: the conversation before the message. A reply is due a second after the last message, five
-- seconds after the first one at the latest, so that messages in quick succession get one. While it is claimed, or waits
-- for the platform, a message changes only what it is for.
create or replace function outbound.owe_agent_reply(p_before outbound.conversations, p_sequence int, p_name text)
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.agent_replies as a
    (company_id, conversation_id, from_sequence, to_sequence, member_wanted, run_at)
  values (
    p_before.company_id, p_before.id, p_sequence, p_sequence, coalesce(p_before.last_author = 'visitor', false),
    now() + interval '1 second'
  )
  on conflict on constraint agent_replies_pkey do update
    set to_sequence = excluded.to_sequence,
      run_at = case when a.worker is not null then a.run_at
        else greatest(a.run_at, least(excluded.run_at, a.owed_at + interval '5 seconds')) end;
  update outbound.conversations as c
  set operator_typing_until = now() + interval '1 minute', operator_typing_name = p_name
  where c.company_id = p_before.company_id and c.id = p_before.id;
$$;

revoke execute on function outbound.owe_agent_reply from public;

-- Records that a visitor asks for a person: adds a message of the system with this text, reports it, and notifies the
-- member who has the conversation, or all. No machine replies from then on. Returns requested, repeated (nothing
-- changes), closed, or null when there is no such conversation.
create or replace function outbound.request_person(p_company_id uuid, p_conversation_id uuid, p_text text)
returns text
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_conversation outbound.conversations;
begin
  select * into v_conversation from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id
  for no key update;
  if not found then
    return null;
  elsif v_conversation.handoff_requested_at is not null then
    return 'repeated';
  elsif v_conversation.status <> 'open' then
    return 'closed';
  end if;
  perform outbound.add_message(
    p_company_id, p_conversation_id, 'system', p_text, null, '{"notice": "person_requested"}');
  perform outbound.set_machine_author(p_company_id, p_conversation_id, v_conversation.last_sequence + 1);
  update outbound.conversations as c
  set handoff_requested_at = now(), assistant = 'silent', last_author = 'visitor', operator_typing_until = null
  where c.company_id = p_company_id and c.id = p_conversation_id;
  perform outbound.write_event(p_company_id, 'conversation.handoff_requested', now(),
    json_build_object(
      'company_id', p_company_id, 'conversation_id', p_conversation_id, 'widget_id', v_conversation.widget_id,
      'user_id', v_conversation.user_id, 'requested_at', outbound.iso_time(now())));
  perform outbound.notify_members(p_company_id, 'chat', p_conversation_id, v_conversation.assigned_to);
  return 'requested';
end
$$;

revoke execute on function outbound.request_person from public;

-- Has an expected object deleted soon, because storing it failed. The store may still be writing it: not at once.
-- p_conversation_id: of a visitor's file, which then no longer counts towards the day's quota; null: of another one.
create or replace function outbound.abandon_media(p_company_id uuid, p_media_id uuid, p_conversation_id uuid)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_wait constant interval := interval '5 minutes';
  v_bytes int;
  v_day date;
  v_widget_id uuid;
begin
  -- As it was expected: in an hour.
  select l.bytes, ((l.due_at - interval '1 hour') at time zone 'UTC')::date into v_bytes, v_day
  from outbound.media_leftovers as l
  where l.company_id = p_company_id and l.media_id = p_media_id and l.due_at > now() + v_wait
  for no key update;
  if not found then
    return;
  end if;
  update outbound.media_leftovers as l set due_at = now() + v_wait
  where l.company_id = p_company_id and l.media_id = p_media_id;
  select c.widget_id into v_widget_id from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id;
  if found then
    perform outbound.refund_stored_bytes(p_company_id, v_widget_id, v_day, v_bytes);
  end if;
end
$$;

revoke execute on function outbound.abandon_media from public;

-- Takes stored bytes of visitors back from a day. A day that clean_up has deleted stays deleted.
create or replace function outbound.refund_stored_bytes(p_company_id uuid, p_widget_id uuid, p_day date, p_bytes int)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  perform from outbound.visitor_usage as u
  where u.company_id = p_company_id and u.subject_id in (p_widget_id, p_company_id) and u.day = p_day
  order by u.subject_id = u.company_id
  for no key update;
  update outbound.visitor_usage as u set stored_bytes = greatest(u.stored_bytes - p_bytes, 0)
  where u.company_id = p_company_id and u.subject_id in (p_widget_id, p_company_id) and u.day = p_day;
end
$$;

revoke execute on function outbound.refund_stored_bytes from public;

-- Adds a visitor's message with a file whose object is in the media store, and the file, whose room is reserved already
-- (expect_visitor_file). p_file: {id, kind, content_type, bytes, sha256, file_name, width, height}; the last two are null
-- where they are not known. Returns what add_message returns, or the outcome too_late: the upload took too long. Unless
-- the outcome is posted, the object is left over.
create or replace function outbound.add_visitor_file(
  p_company_id uuid, p_conversation_id uuid, p_text text, p_client_message_id uuid, p_file jsonb
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_file outbound.media_files := jsonb_populate_record(null::outbound.media_files, p_file);
  v_posted record;
  v_assigned_to uuid;
begin
  -- One that is due is about to be deleted.
  perform from outbound.media_leftovers as l
  where l.company_id = p_company_id and l.media_id = v_file.id and l.due_at > now() for update;
  if not found then
    return query select 'too_late', null::jsonb, null::text, null::int, null::int;
    return;
  end if;
  select * into v_posted from outbound.add_message(
    p_company_id, p_conversation_id, 'visitor', p_text, p_client_message_id,
    jsonb_build_object('file', jsonb_strip_nulls(jsonb_build_object(
      'media_id', v_file.id, 'file_name', v_file.file_name, 'content_type', v_file.content_type, 'bytes', v_file.bytes,
      'width', p_file -> 'width', 'height', p_file -> 'height'))));
  if found and v_posted.outcome = 'posted' then
    insert into outbound.media_files (
      company_id, id, kind, content_type, bytes, sha256, file_name, message_id, conversation_id, created_by
    )
    values (
      p_company_id, v_file.id, v_file.kind, v_file.content_type, v_file.bytes, v_file.sha256, v_file.file_name,
      (v_posted.message ->> 'id')::uuid, p_conversation_id, 'visitor'
    );
    delete from outbound.media_leftovers as l where l.company_id = p_company_id and l.media_id = v_file.id;
    -- No machine replies to a file.
    update outbound.conversations as c set assistant = 'idle'
    where c.company_id = p_company_id and c.id = p_conversation_id and c.assistant = 'replying'
    returning c.assigned_to into v_assigned_to;
    if found then
      update outbound.agent_replies as a set member_wanted = true
      where a.company_id = p_company_id and a.conversation_id = p_conversation_id;
      perform outbound.notify_members(p_company_id, 'chat', p_conversation_id, v_assigned_to);
    end if;
  else
    update outbound.media_leftovers as l set due_at = now()
    where l.company_id = p_company_id and l.media_id = v_file.id;
  end if;
  if v_posted.outcome is not null then
    return query select v_posted.outcome, v_posted.message, v_posted.cap, v_posted.quota, v_posted.used;
  end if;
end
$$;

revoke execute on function outbound.add_visitor_file from public;

-- Reserves room for a file that a visitor is about to send, as expect_media does, and counts it towards the visitors'
-- quota of the day. Files of visitors may take half of p_max_bytes, so that they leave room for the company's own.
-- outcome: expected; repeated (with the message that has p_client_message_id already); closed; no_room; quota (with the
-- cap that was reached, as use_visitor_quota returns it); no row when there is no such conversation. Only `expected`
-- changes anything.
create or replace function outbound.expect_visitor_file(
  p_company_id uuid, p_conversation_id uuid, p_client_message_id uuid, p_media_id uuid, p_bytes int, p_max_bytes bigint
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_open record;
  v_reached record;
begin
  select * into v_open from outbound.open_for_message(p_company_id, p_conversation_id, p_client_message_id);
  if not found then
    return;
  elsif v_open.outcome is not null then
    return query select v_open.outcome, v_open.message, null::text, null::int, null::int;
    return;
  end if;
  insert into outbound.media_usage as u (company_id, bytes, visitor_bytes)
  select p_company_id, p_bytes, p_bytes where p_bytes <= p_max_bytes / 2
  on conflict on constraint media_usage_pkey do update
    set bytes = u.bytes + excluded.bytes, visitor_bytes = u.visitor_bytes + excluded.visitor_bytes
    where u.bytes + excluded.bytes <= p_max_bytes and u.visitor_bytes + excluded.visitor_bytes <= p_max_bytes / 2;
  if not found then
    return query select 'no_room', null::jsonb, null::text, null::int, null::int;
    return;
  end if;
  select * into v_reached from outbound.use_visitor_quota(
    p_company_id, (v_open.conversation).widget_id, null, null, null, p_bytes);
  if v_reached.cap is not null then
    update outbound.media_usage as u
    set bytes = u.bytes - p_bytes, visitor_bytes = u.visitor_bytes - p_bytes
    where u.company_id = p_company_id;
    return query select 'quota', null::jsonb, v_reached.cap, v_reached.quota, v_reached.used;
    return;
  end if;
  insert into outbound.media_leftovers (company_id, media_id, bytes, due_at, of_visitor)
  values (p_company_id, p_media_id, p_bytes, now() + interval '1 hour', true);
  return query select 'expected', null::jsonb, null::text, null::int, null::int;
end
$$;

revoke execute on function outbound.expect_visitor_file from public;

-- Sends a request to the dispatch function when it has work that no step of pg_cron does: a message, a reply or an event is
-- due, a chore of open_chores waits, the webhook has to be probed before a message's window ends, or no dispatcher has
-- kept time for a minute, because some of its work is due by the clock (syncs, removed files, the archive, calls to check).
-- Needs pg_net and an address: Vault's secrets outbound_dispatch_url and outbound_dispatch_secret, or the settings row
-- dispatch {"url": …, "secret": …}. Returns whether a request was queued. pg_net sends it after the commit.
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
    or exists (
      select 1 from outbound.reply_schedule as s
      where s.due_at <= now() and s.due_at >= outbound.due_from('replies') and exists (
        select from outbound.senders as o
        where o.company_id = s.company_id and o.id = s.sender_id and outbound.may_reply(o)
      )
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
    or outbound.open_chores('pg_cron')
      && array['received_media', 'pushes', 'agent_replies', 'stopping', 'resends', 'uploads', 'people']
    or not exists (
      select from outbound.settings as s
      where s.name = 'last_tick:dispatcher' and s.updated_at > now() - interval '1 minute'
    )
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

reset check_function_bodies;
