-- Stores a campaign p_id of those who failed in the campaign p_of with one of p_codes, with the same content, sender and
-- type. continue_resend makes its notifications. p_name: null for the same name. p_by_operator: no key made the request;
-- the campaign counts for the key p_api_key_id or, if that is gone, for the company's present one, whatever its state
-- and its quota. p_idempotency: {endpoint, key, request_hash} or null. p_trace: the span of the request, as traceparent.
--
-- Returns outcome:
--   accepted, replayed (an earlier request with the same idempotency key), key_reused,
--   nothing (no recipient is left, or all are refused: see result),
--   running (another resend of this campaign is under way),
--   unauthorized (the key is not active any more), quota_exceeded,
--   stale (the template, the agent or the sender cannot be used any more).
-- Only `accepted` stores anything. result: {campaign_id (null unless accepted), total, processed, refused: {code: count},
-- scheduled_time}.
create function outbound.begin_resend(
  p_company_id uuid, p_of uuid, p_id uuid, p_codes text[], p_name text, p_scheduled_time timestamptz, p_timezone text,
  p_api_key_id uuid, p_by_operator boolean, p_idempotency jsonb, p_trace text default null,
  out outcome text, out result json, out quota int, out quota_used int
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_key record;
  v_first record;
  v_total int;
  v_processed int;
  v_refused jsonb;
begin
  -- First: who comes second waits here for the first one's transaction, and then counts what that one has left.
  insert into outbound.resends as r (company_id, campaign_id, resend_of, codes)
  values (p_company_id, p_id, p_of, p_codes) on conflict (company_id, resend_of) do nothing;
  outcome := case when found then 'accepted' else 'running' end;

  select i.request_hash, i.answer into v_first from outbound.idempotency_keys as i
  where i.company_id = p_company_id and i.endpoint = p_idempotency ->> 'endpoint' and i.key = p_idempotency ->> 'key'
    and i.created_at > now() - interval '24 hours';
  if found then
    outcome := case when v_first.request_hash = p_idempotency ->> 'request_hash' then 'replayed' else 'key_reused' end;
    result := case outcome when 'replayed' then v_first.answer end;
  end if;

  if outcome = 'accepted' then
    select coalesce(sum(c.candidates), 0), coalesce(sum(c.candidates) filter (where c.refusal is null), 0),
      coalesce(jsonb_object_agg(c.refusal, c.candidates) filter (where c.refusal is not null), '{}')
    into v_total, v_processed, v_refused
    from (
      select f.refusal, count(*)::int as candidates
      from outbound.resend_candidates(p_company_id, p_of, p_codes, '00000000-0000-0000-0000-000000000000', null) as f
      group by f.refusal
    ) as c;
    if v_processed = 0 then
      outcome := 'nothing';
    end if;
    result := json_build_object('campaign_id', case outcome when 'accepted' then p_id end, 'total', v_total,
      'processed', v_processed, 'refused', v_refused, 'scheduled_time', outbound.iso_time(p_scheduled_time));
  end if;

  if outcome = 'accepted' then
    select k.id, k.daily_quota into v_key from outbound.api_keys as k
    where k.company_id = p_company_id
      and case when p_by_operator then k.id = p_api_key_id or k.is_current else k.id = p_api_key_id and k.is_active end
    order by k.id = p_api_key_id desc limit 1 for no key update;
    if not found then
      outcome := 'unauthorized';
    elsif not exists (
      select from outbound.campaigns as g
      join outbound.senders as s on s.company_id = g.company_id and s.id = g.sender_id and not s.locked
      left join outbound.templates as t on t.company_id = g.company_id and t.id = g.template_id
      left join outbound.voice_agents as a on a.company_id = g.company_id and a.id = g.agent_id
      where g.company_id = p_company_id and g.id = p_of
        and (g.template_id is null or t.status = 'approved' and t.shape = g.template_shape)
        and (g.agent_id is null or a.status = 'active')
    ) then
      outcome := 'stale';
    else
      quota := v_key.daily_quota;
      quota_used := (outbound.open_usage(p_company_id, v_key.id)).notifications;
      if not p_by_operator and quota_used + v_processed > quota then
        outcome := 'quota_exceeded';
      end if;
    end if;
  end if;

  if outcome <> 'accepted' then
    delete from outbound.resends as r where r.company_id = p_company_id and r.campaign_id = p_id;
    return;
  end if;
  insert into outbound.campaigns (
    company_id, id, api_key_id, channel, name, notification_type, sender_id, template_id, template_name,
    template_language, template_shape, agent_id, name_event, scheduled_time, timezone, trace, total, pending, rejected
  )
  select g.company_id, p_id, v_key.id, g.channel, coalesce(p_name, g.name), g.notification_type, g.sender_id,
    g.template_id, g.template_name, g.template_language, g.template_shape, g.agent_id, g.name_event, p_scheduled_time,
    coalesce(p_timezone, g.timezone), coalesce(p_trace, g.trace), v_processed, v_processed, v_total - v_processed
  from outbound.campaigns as g where g.company_id = p_company_id and g.id = p_of;
  if v_processed > 1 then
    insert into outbound.bulk_campaigns (company_id, campaign_id) values (p_company_id, p_id);
  end if;
  update outbound.usage as u set notifications = u.notifications + v_processed
  where u.company_id = p_company_id and u.api_key_id = v_key.id and u.day = (now() at time zone 'UTC')::date;
  update outbound.resends as r set remaining = v_processed
  where r.company_id = p_company_id and r.campaign_id = p_id;
  perform outbound.store_idempotent_response(p_company_id, p_idempotency, result);
end
$$;
revoke execute on function outbound.begin_resend from public;
