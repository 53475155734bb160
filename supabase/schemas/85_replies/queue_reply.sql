-- Returns the last message of a person: its id, to which sender, and when; if p_sender_id is null to any sender of the
-- company. A message of the platform itself (system) opens no window.
create function outbound.last_inbound(p_company_id uuid, p_number text, p_user_id text, p_sender_id uuid)
returns table (id uuid, sender_id uuid, number text, user_id text, at timestamptz)
-- In SQL, which plans each call: a plan that was made while there were few messages reads all of the company's.
language sql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  select found.id, found.sender_id, found.number, found.user_id, found.at
  from unnest(outbound.addresses_of(p_company_id, p_number, p_user_id)) as known(address)
  cross join lateral (
    (
      select m.id, m.sender_id, m.number, m.user_id, m.at from outbound.contact_messages as m
      where m.company_id = p_company_id and m.number = known.address and m.direction = 'in' and m.kind <> 'system'
        and (p_sender_id is null or m.sender_id = p_sender_id)
      order by m.at desc limit 1
    )
    union all
    (
      select m.id, m.sender_id, m.number, m.user_id, m.at from outbound.contact_messages as m
      where m.company_id = p_company_id and m.user_id = known.address and m.direction = 'in' and m.kind <> 'system'
        and (p_sender_id is null or m.sender_id = p_sender_id)
      order by m.at desc limit 1
    )
  ) as found
  order by found.at desc limit 1
$$;
revoke execute on function outbound.last_inbound from public;

-- Queues a reply to a person who wrote within 24 hours to the sender: for so long the platform takes messages that are
-- no template. p_reply: {id, number, user_id, recipient_id, kind, text, content, reply_to, actor}; recipient_id: a sender
-- by id, number or the platform's id, or null for the one that the person last wrote to; reply_to: one of our messages;
-- actor: who replies, as in audit_log.
-- p_idempotency: {endpoint, key, request_hash} or null.
-- outcome: queued, replayed (answer: the first response), key_reused, unknown_sender, sender_locked (reason),
-- window_closed (last_message_at; null if the person never wrote), unknown_message. Only queued stores anything.
create function outbound.queue_reply(p_company_id uuid, p_reply jsonb, p_idempotency jsonb)
returns table (
  outcome text, answer json, reason text, last_message_at timestamptz, window_closes_at timestamptz
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_reply record;
  v_sender_id uuid;
  v_sender record;
  v_last record;
  v_context text;
  v_first record;
begin
  select * into v_reply from jsonb_to_record(p_reply) as r(
    id uuid, number text, user_id text, recipient_id text, kind text, text text, content jsonb, reply_to uuid,
    trace text, actor text
  );
  for v_round in 1..2 loop
    select i.request_hash, i.answer into v_first from outbound.idempotency_keys as i
    where i.company_id = p_company_id and i.endpoint = p_idempotency ->> 'endpoint'
      and i.key = p_idempotency ->> 'key' and i.created_at > now() - interval '24 hours';
    if found then
      return query select
        case when v_first.request_hash = p_idempotency ->> 'request_hash' then 'replayed' else 'key_reused' end,
        v_first.answer, null::text, null::timestamptz, null::timestamptz;
      return;
    end if;

    v_sender_id := null;
    if v_reply.recipient_id is not null then
      select s.id into v_sender_id from outbound.senders as s
      where s.company_id = p_company_id and s.channel = 'whatsapp'
        and v_reply.recipient_id in (s.id::text, s.number, s.platform_id)
      limit 1;
      if not found then
        return query select 'unknown_sender', null::json, null::text, null::timestamptz, null::timestamptz;
        return;
      end if;
    end if;
    -- Keep the message that opens the window: the person may be erased meanwhile. erase_person steps back from a
    -- message that is locked; one that it has locked is gone afterwards.
    loop
      select l.* into v_last
      from outbound.last_inbound(p_company_id, v_reply.number, v_reply.user_id, v_sender_id) as l;
      exit when v_last.id is null;
      -- With its time, because an index by time may look as good for the id, and would be read whole.
      perform from outbound.contact_messages as m
      where m.company_id = p_company_id and m.at = v_last.at and m.id = v_last.id for share;
      exit when found;
    end loop;
    if v_last.at is null or v_last.at <= now() - interval '24 hours' then
      return query select 'window_closed', null::json, null::text, v_last.at, v_last.at + interval '24 hours';
      return;
    end if;
    select s.id, s.locked, s.stopped_reason into v_sender from outbound.senders as s
    where s.company_id = p_company_id and s.id = v_last.sender_id;
    if v_sender.locked then
      return query select 'sender_locked', null::json, v_sender.stopped_reason, null::timestamptz, null::timestamptz;
      return;
    end if;
    if v_reply.reply_to is not null then
      select m.platform_message_id into v_context from outbound.contact_messages as m
      where m.company_id = p_company_id and m.id = v_reply.reply_to and m.sender_id = v_last.sender_id
        and m.platform_message_id is not null
        and array[m.number, m.user_id] && outbound.addresses_of(p_company_id, v_reply.number, v_reply.user_id);
      if not found then
        return query select 'unknown_message', null::json, null::text, null::timestamptz, null::timestamptz;
        return;
      end if;
    end if;

    answer := json_build_object(
      'message_id', v_reply.id, 'status', 'queued',
      'window_closes_at', outbound.iso_time(v_last.at + interval '24 hours'));
    if p_idempotency is not null then
      insert into outbound.idempotency_keys as i (company_id, endpoint, key, request_hash, answer)
      values (
        p_company_id, p_idempotency ->> 'endpoint', p_idempotency ->> 'key', p_idempotency ->> 'request_hash', answer
      )
      on conflict on constraint idempotency_keys_pkey do update
        set request_hash = excluded.request_hash, answer = excluded.answer, created_at = now()
        where i.created_at <= now() - interval '24 hours';
      -- Another request with the same key was stored in the meantime: its answer is the first.
      continue when not found;
    end if;
    insert into outbound.contact_messages (
      company_id, id, sender_id, direction, number, user_id, kind, text, content, context_message_id, status,
      run_at, expires_at, at, trace, actor
    )
    values (
      p_company_id, v_reply.id, v_last.sender_id, 'out', coalesce(v_reply.number, v_last.number),
      coalesce(v_reply.user_id, v_last.user_id), v_reply.kind, v_reply.text, v_reply.content, v_context, 'queued',
      now(), v_last.at + interval '24 hours', now(), v_reply.trace,
      v_reply.actor
    );
    perform outbound.schedule_replies(array[p_company_id], array[v_last.sender_id], array[now()]);
    return query select 'queued', answer, null::text, v_last.at, v_last.at + interval '24 hours';
    return;
  end loop;
end
$$;
revoke execute on function outbound.queue_reply from public;
