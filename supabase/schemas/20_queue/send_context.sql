-- Returns what a request is checked against before it is stored: the key, the sender that p_recipient names (by id,
-- number or the platform's id), all languages of the template in that sender's account, and the voice agent (by id or
-- the platform's id). With p_bulk an unknown name means the company's oldest sender of the channel that the key may use.
-- The sender that is named comes back even if the key may not use it: the caller refuses it. What may keep its
-- notifications from leaving at once comes with it.
create function outbound.send_context(
  p_key_hash text, p_channel text, p_recipient text, p_template text, p_agent text, p_bulk boolean
)
returns table (
  outcome text, company_id uuid, api_key_id uuid, permissions text[], api_access boolean,
  rate_limit int, remaining int, reset_s int, sender_id uuid, sender_number text, sender_locked text, templates jsonb, agent jsonb,
  -- Why the sender sends nothing at present, and until when; since when the platform has not responded to it, and when
  -- it is tried next; how many people it may write to (TIER_2K), and how the platform rates it (RED).
  sender_stopped text, sender_stopped_until timestamptz, outage_since timestamptz, outage_until timestamptz,
  sender_limit text, sender_quality text,
  -- The company's rules (contact_rules, companies); null for none.
  sending_hours jsonb, frequency_caps jsonb, marketing_cooldown boolean, call_gap_s int,
  -- The key of the hashes of erased people, sealed; null where no person was erased.
  erasure_key_sealed text,
  -- A webhook of the company receives flow.triggered.
  has_flow_webhook boolean
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_key record;
  v_sender record;
  v_rules record;
  v_allowed uuid[];
begin
  select * into v_key from outbound.use_access_key(p_key_hash, 0);
  if v_key.outcome <> 'ok' then
    outcome := v_key.outcome;
    rate_limit := 0;
    remaining := 0;
    reset_s := 0;
    return next;
    return;
  end if;
  select k.sender_ids into v_allowed from outbound.api_keys as k
  where k.company_id = v_key.company_id and k.id = v_key.api_key_id;
  select s.id, s.waba_id, s.number, s.locked, s.stopped_reason, s.stopped_until, s.messaging_limit, s.quality,
    outage.since as outage_since, case when outage.since is not null then p.blocked_until end as outage_until
  into v_sender
  from outbound.senders as s
  join outbound.sender_rate_state as p on p.company_id = s.company_id and p.sender_id = s.id
  cross join lateral outbound.outage_since(p) as outage(since)
  where s.company_id = v_key.company_id and s.channel = p_channel
    and (p_bulk or p_recipient in (s.id::text, s.number, s.platform_id))
  order by p_recipient in (s.id::text, s.number, s.platform_id) desc, (s.id = any (v_allowed)) is not false desc,
    s.created_at, s.id
  limit 1;
  select y.call_gap_s, nullif(r.sending_hours, '[]') as sending_hours, nullif(r.frequency_caps, '[]') as frequency_caps,
    coalesce(r.marketing_cooldown, false) as marketing_cooldown, r.erasure_key_sealed
  into v_rules
  from outbound.companies as y left join outbound.contact_rules as r on r.company_id = y.id
  where y.id = v_key.company_id;
  return query select v_key.outcome, v_key.company_id, v_key.api_key_id, v_key.permissions, v_key.api_access,
    v_key.rate_limit, v_key.remaining, v_key.reset_s, v_sender.id,
    v_sender.number, case when v_sender.locked then v_sender.stopped_reason end,
    (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', t.id, 'language', t.language, 'category', t.category, 'status', t.status, 'shape', t.shape,
        'parameter_format', t.parameter_format, 'components', t.components
      )), '[]')
      from outbound.templates as t
      where t.company_id = v_key.company_id and t.waba_id = v_sender.waba_id and t.name = p_template
    ),
    (
      select jsonb_build_object('id', a.id, 'platform_agent_id', a.platform_agent_id, 'status', a.status)
      from outbound.voice_agents as a
      where a.company_id = v_key.company_id and p_agent in (a.id::text, a.platform_agent_id)
      order by a.id::text = p_agent desc limit 1
    ),
    v_sender.stopped_reason, v_sender.stopped_until, v_sender.outage_since, v_sender.outage_until,
    v_sender.messaging_limit, v_sender.quality,
    v_rules.sending_hours, v_rules.frequency_caps, v_rules.marketing_cooldown, v_rules.call_gap_s,
    case when v_rules.erasure_key_sealed is not null and exists (
      select from outbound.erased_contacts as e where e.company_id = v_key.company_id
    ) then v_rules.erasure_key_sealed end,
    exists (
      select from outbound.endpoints as w
      where w.company_id = v_key.company_id and w.is_active
        and coalesce('flow.triggered' = any (w.event_types), true)
    );
end
$$;
revoke execute on function outbound.send_context from public;
