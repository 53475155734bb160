set local lock_timeout = '2s';
set check_function_bodies = off;

-- Keeps the thread of a person and a sender: a message of either side is its last one, and opens it again. One of the
-- person notifies the member who has the thread.
create or replace function outbound.touch_thread()
returns trigger
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_address text;
  v_thread record;
begin
  -- One look-up per address. The thread may have begun under another one of the person.
  select t.address into v_address
  from unnest(outbound.addresses_of(new.company_id, new.number, new.user_id)) with ordinality as known(address, ord)
  cross join lateral (
    select o.address from outbound.contact_threads as o
    where o.sender_id = new.sender_id and o.address = known.address
      -- Written so that no index on the company matches it: it would read all of the company's threads.
      and case when o.company_id = new.company_id then true end
    offset 0 -- a join, planned while there were few threads, would read all of the sender's
  ) as t
  order by known.ord limit 1;
  insert into outbound.contact_threads as t (
    company_id, sender_id, address, last_message_id, last_message_at, last_direction, last_inbound_at
  )
  values (
    new.company_id, new.sender_id, coalesce(v_address, new.user_id, new.number), new.id, new.at, new.direction,
    case new.direction when 'in' then new.at end
  )
  on conflict on constraint contact_threads_address_key do update
    set status = 'open',
      last_inbound_at = greatest(t.last_inbound_at, excluded.last_inbound_at),
      -- The platform's messages may come in any order.
      (last_message_id, last_message_at, last_direction) = (
        select case when is_later then new.id else t.last_message_id end,
          greatest(t.last_message_at, new.at),
          case when is_later then new.direction else t.last_direction end
        from (select new.at >= t.last_message_at as is_later) as message
      )
  returning t.id, t.assigned_to into v_thread;
  if new.direction = 'in' and v_thread.assigned_to is not null and new.at > now() - interval '10 minutes' then
    perform outbound.notify_members(new.company_id, 'whatsapp', v_thread.id, v_thread.assigned_to);
  end if;
  return null;
end
$$;

revoke execute on function outbound.touch_thread from public;

-- The browsers in which a member asked to be notified. For the member alone: no audit.
create table outbound.push_subscriptions (
  company_id uuid not null,
  user_id uuid not null,
  id uuid not null default gen_random_uuid(),
  -- At the browser's push service. Knowing it is what lets one send there, together with OUTBOUND_VAPID_PRIVATE_KEY.
  endpoint text not null,
  -- The browser's keys, in base64url: what is sent is encrypted for them.
  p256dh text not null,
  auth text not null,
  -- Of the console in this browser.
  language text not null,
  created_at timestamptz not null default now(),
  constraint push_subscriptions_pkey primary key (company_id, user_id, id),
  constraint push_subscriptions_endpoint_key unique (company_id, user_id, endpoint),
  constraint push_subscriptions_member_fkey foreign key (company_id, user_id)
    references outbound.memberships (company_id, user_id) on delete cascade,
  constraint push_subscriptions_endpoint_check check (length(endpoint) <= 1000)
);

-- Of a user whose sessions have all ended.
create index push_subscriptions_user_idx on outbound.push_subscriptions (user_id);

alter table outbound.push_subscriptions enable row level security;

-- Notifications that wait to be sent. They end when they are sent, or too old. Messages only add rows, so that none waits
-- for a row that is being sent.
create table outbound.push_notices (
  company_id uuid not null,
  user_id uuid not null,
  subscription_id uuid not null,
  id uuid not null default gen_random_uuid(),
  -- A chat, a thread (contact_threads) or a handoff.
  conversation_id uuid not null,
  kind text not null,
  attempt int not null default 0,
  -- Not claimed before this time; while it is claimed, the end of the lease.
  run_at timestamptz not null default now(),
  worker text,
  -- A later notification is of no use.
  expires_at timestamptz not null default now() + interval '10 minutes',
  constraint push_notices_pkey primary key (company_id, user_id, subscription_id, id),
  constraint push_notices_subscription_fkey foreign key (company_id, user_id, subscription_id)
    references outbound.push_subscriptions (company_id, user_id, id) on delete cascade,
  constraint push_notices_kind_check check (kind in ('chat', 'whatsapp', 'handoff'))
) with (fillfactor = 70);

create index push_notices_due_idx on outbound.push_notices (run_at);

alter table outbound.push_notices enable row level security;

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
        or cardinality(outbound.due_companies(1, 1)) > 0
      ),
      ('pushes', exists (select from outbound.push_notices as p where p.run_at <= now())),
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

-- Leases up to p_limit due notifications to p_worker for p_lease, of a company and of a push service p_limit_each at
-- most, and none of p_except_companies and p_except_services: one that does not respond delays no other. Drops those
-- that are too old.
create or replace function outbound.claim_push_notices(
  p_worker text, p_limit int, p_limit_each int, p_lease interval, p_except_companies uuid[], p_except_services text[]
)
returns table (
  company_id uuid, user_id uuid, subscription_id uuid, id uuid, conversation_id uuid, kind text, attempt int, ttl_s int,
  company_name text, endpoint text, service text, p256dh text, auth text, language text
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per notification.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
#variable_conflict use_column
begin
  if not outbound.is_active_cell() then
    return;
  end if;
  return query
  with candidate as materialized (
    select n.company_id, n.user_id, n.subscription_id, n.id, n.run_at, s.service
    from outbound.push_notices as n
    cross join lateral (
      select split_part(s.endpoint, '/', 3) as service from outbound.push_subscriptions as s
      where s.company_id = n.company_id and s.user_id = n.user_id and s.id = n.subscription_id limit 1
    ) as s
    where n.run_at <= now() and n.company_id <> all (p_except_companies) and s.service <> all (p_except_services)
    order by n.run_at limit 500
  ),
  ranked as (
    select c.*, row_number() over (partition by c.company_id order by c.run_at) as turn,
      row_number() over (partition by c.service order by c.run_at) as turn_of_service
    from candidate as c
  ),
  chosen as (
    select r.* from ranked as r
    where r.turn <= p_limit_each and r.turn_of_service <= p_limit_each
    order by r.run_at limit p_limit
  ),
  locked as (
    select n.* from chosen as c
    cross join lateral (
      select o.* from outbound.push_notices as o
      where o.company_id = c.company_id and o.user_id = c.user_id and o.subscription_id = c.subscription_id
        and o.id = c.id and o.run_at <= now()
      for update skip locked
    ) as n
  ),
  dropped as (
    delete from outbound.push_notices as n using locked as l
    where n.company_id = l.company_id and n.user_id = l.user_id and n.subscription_id = l.subscription_id
      and n.id = l.id and l.expires_at <= now()
  ),
  claimed as (
    update outbound.push_notices as n
    set worker = p_worker, attempt = n.attempt + 1, run_at = clock_timestamp() + p_lease
    from locked as l
    where n.company_id = l.company_id and n.user_id = l.user_id and n.subscription_id = l.subscription_id
      and n.id = l.id and l.expires_at > now()
    returning n.*
  )
  select c.company_id, c.user_id, c.subscription_id, c.id, c.conversation_id, c.kind, c.attempt,
    ceil(extract(epoch from c.expires_at - now()))::int, y.name, s.endpoint, split_part(s.endpoint, '/', 3),
    s.p256dh, s.auth, s.language
  from claimed as c
  join outbound.companies as y on y.id = c.company_id
  join outbound.push_subscriptions as s
    on s.company_id = c.company_id and s.user_id = c.user_id and s.id = c.subscription_id;
end
$$;

revoke execute on function outbound.claim_push_notices from public;

-- Records how notifications went that p_worker claimed, each an object:
--   company_id, user_id, subscription_id, id, outcome (sent; failed: never to be sent; retry, in retry_in_s; gone: the
--     browser has ended the subscription), retry_in_s.
-- One whose retry would come too late ends.
create or replace function outbound.finish_push_notices(p_worker text, p_results jsonb)
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per notification.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  with locked as (
    select n.company_id, n.user_id, n.subscription_id, n.id, r.outcome, n.expires_at,
      clock_timestamp() + make_interval(secs => coalesce(r.retry_in_s, 0)) as due_at
    from jsonb_to_recordset(p_results) as r(
      company_id uuid, user_id uuid, subscription_id uuid, id uuid, outcome text, retry_in_s float8
    )
    join outbound.push_notices as n
      on n.company_id = r.company_id and n.user_id = r.user_id and n.subscription_id = r.subscription_id and n.id = r.id
    where n.worker = p_worker
    order by n.company_id, n.user_id, n.subscription_id, n.id for update of n
  ),
  ended as (
    delete from outbound.push_notices as n using locked as l
    where n.company_id = l.company_id and n.user_id = l.user_id and n.subscription_id = l.subscription_id
      and n.id = l.id and (l.outcome <> 'retry' or l.due_at > l.expires_at)
  )
  update outbound.push_notices as n set worker = null, run_at = l.due_at from locked as l
  where n.company_id = l.company_id and n.user_id = l.user_id and n.subscription_id = l.subscription_id
    and n.id = l.id and l.outcome = 'retry' and l.due_at <= l.expires_at;

  delete from outbound.push_subscriptions as s
  using (
    select o.company_id, o.user_id, o.id
    from jsonb_to_recordset(p_results) as r(company_id uuid, user_id uuid, subscription_id uuid, outcome text)
    join outbound.push_subscriptions as o
      on o.company_id = r.company_id and o.user_id = r.user_id and o.id = r.subscription_id
    where r.outcome = 'gone'
    -- A message that adds a notification for it holds others of its company: the next push removes it.
    for update of o skip locked
  ) as gone
  where s.company_id = gone.company_id and s.user_id = gone.user_id and s.id = gone.id;
end
$$;

revoke execute on function outbound.finish_push_notices from public;

-- Queues a notification about a conversation for the devices of a member, or where that is null of all who may reply. One
-- that still waits for the device stands for this one too, unless it ends soon.
create or replace function outbound.notify_members(p_company_id uuid, p_kind text, p_conversation_id uuid, p_member uuid)
returns void
language sql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  insert into outbound.push_notices (company_id, user_id, subscription_id, conversation_id, kind)
  select s.company_id, s.user_id, s.id, p_conversation_id, p_kind from outbound.push_subscriptions as s
  cross join lateral (
    select from outbound.memberships as m
    where m.company_id = s.company_id and m.user_id = s.user_id and m.role <> 'viewer' limit 1
  ) as m
  where s.company_id = p_company_id and s.user_id = coalesce(p_member, s.user_id)
    and not exists (
      select from outbound.push_notices as n
      where n.company_id = s.company_id and n.user_id = s.user_id and n.subscription_id = s.id
        and n.conversation_id = p_conversation_id and n.worker is null and n.expires_at > now() + interval '5 minutes'
    )
  order by s.user_id, s.id
$$;

revoke execute on function outbound.notify_members from public;

-- Writes conversation.message, and before the first one of a conversation conversation.started. A conversation
-- without a message is not reported. A visitor's message notifies the member who has the conversation; where none has,
-- the first one that waits notifies all.
create or replace function outbound.report_message(
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
  if p_message.author = 'visitor'
    and (p_conversation.assigned_to is not null or p_conversation.last_author is distinct from 'visitor')
  then
    perform outbound.notify_members(
      p_message.company_id, 'chat', p_message.conversation_id, p_conversation.assigned_to);
  end if;
end
$$;

revoke execute on function outbound.report_message from public;

-- Stores a request to talk to a person, and reports it to the company's webhook and to its members' devices.
create or replace function outbound.request_handoff(
  p_company_id uuid, p_id uuid, p_widget_id uuid, p_session_id uuid, p_conversation_id text, p_reason text,
  p_contact jsonb, p_room text
)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.handoffs (company_id, id, widget_id, session_id, conversation_id, reason, contact, room)
  values (p_company_id, p_id, p_widget_id, p_session_id, p_conversation_id, p_reason, p_contact, p_room);
  perform outbound.write_event(p_company_id, 'handoff.requested', now(), json_build_object(
    'company_id', p_company_id, 'handoff_id', p_id, 'widget_id', p_widget_id,
    'conversation_id', p_conversation_id, 'reason', p_reason, 'contact', p_contact, 'room', p_room,
    'created_at', outbound.iso_time(now())));
  perform outbound.notify_members(p_company_id, 'handoff', p_id, null);
end
$$;

revoke execute on function outbound.request_handoff from public;

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
      select 1 from outbound.endpoints_to_serve(outbound.due_companies(64, 64)) as e
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

reset check_function_bodies;
