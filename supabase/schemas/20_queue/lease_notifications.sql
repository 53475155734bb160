-- Leases to p_worker for p_lease the given notifications, which may leave and which the caller has locked, and charges
-- their senders' rates. claimed: what claim_notifications returns, null if there are none; moves: what
-- move_campaign_counters is to move. A step of claim_notifications.
create function outbound.lease_notifications(
  p_worker text, p_lease interval, p_companies uuid[], p_ids uuid[], out claimed json, out moves jsonb
)
language plpgsql security invoker set search_path = ''
-- One plan, made once per connection, that uses indexes whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  with claimed as (
    update outbound.queue as n
    set status = 'sending', attempt = n.attempt + 1, fence = n.fence + 1, worker = p_worker,
      claimed_at = clock_timestamp(), lease_until = clock_timestamp() + p_lease,
      -- A message that leaves does not wait any more.
      error_code = null, error_reason = null
    from unnest(p_companies, p_ids) as l(company_id, id)
    cross join lateral (
      select w.number, w.user_id, w.message from outbound.notification_facts as w
      where w.company_id = l.company_id and w.id = l.id limit 1
    ) as f
    where n.company_id = l.company_id and n.id = l.id
    returning n.company_id, n.id, n.campaign_id, n.sender_id, n.fence, n.attempt, f.number, f.user_id, f.message,
      n.expires_at, n.run_at, n.claimed_at
  ),
  -- One look-up per campaign, not one per message.
  about as materialized (
    select g.company_id, g.id as campaign_id, g.sender_id, g.template_id, g.template_name, g.template_language,
      g.name_event, g.timezone, g.trace, g.agent_id, g.template_status, g.template_changed, g.template_category,
      coalesce(g.template_category = 'MARKETING', g.notification_type = 'marketing') as is_marketing,
      r.sending_hours, r.frequency_caps
    from (select distinct l.company_id, l.campaign_id from claimed as l) as used
    cross join lateral (
      select w.company_id, w.id, w.sender_id, w.notification_type, w.template_id, w.template_name,
        w.template_language, w.name_event, w.timezone, w.trace, w.agent_id, t.status as template_status,
        t.category as template_category, t.shape <> w.template_shape as template_changed
      from outbound.campaigns as w
      left join lateral (
        select u.status, u.shape, u.category from outbound.templates as u
        where u.company_id = w.company_id and u.id = w.template_id limit 1
      ) as t on true
      where w.company_id = used.company_id and w.id = used.campaign_id limit 1
    ) as g
    left join lateral (
      select nullif(u.sending_hours, '[]') as sending_hours, nullif(u.frequency_caps, '[]') as frequency_caps
      from outbound.contact_rules as u where u.company_id = g.company_id limit 1
    ) as r on true
  ),
  paced as (
    update outbound.sender_rate_state as r
    set tokens = outbound.available_tokens(r, s.rate_per_second) - used.messages,
      refilled_at = clock_timestamp(),
      -- One message through an open breaker. If no response comes, the rest before the next one is twice as long.
      failures = case when r.failures >= outbound.breaker_threshold() then r.failures + 1 else r.failures end,
      blocked_until = case when r.failures >= outbound.breaker_threshold() then clock_timestamp()
        + make_interval(secs => least(60, power(2, least(r.failures - outbound.breaker_threshold() + 1, 6)))) end,
      -- A failure of that time is no part of an outage that begins now.
      unreachable_since = case when r.refilled_at > clock_timestamp() - outbound.outage_ends_after()
        then r.unreachable_since end
    from (select c.company_id, c.sender_id, count(*) as messages from claimed as c group by 1, 2) as used
    join outbound.senders as s on s.company_id = used.company_id and s.id = used.sender_id
    where r.company_id = used.company_id and r.sender_id = used.sender_id
    returning r.company_id, r.sender_id, r.failures, s.channel, s.platform_id, s.token_sealed, s.marketing_endpoint,
      case when s.live_sender_id is not null then s.waba_id end as test_account
  )
  select case when messages.claimed is not null then json_build_object('campaigns', (
    select json_agg(json_build_object(
      'company_id', a.company_id, 'campaign_id', a.campaign_id, 'sender_id', a.sender_id, 'channel', p.channel,
      'platform_id', p.platform_id, 'token_sealed', p.token_sealed, 'template_id', a.template_id,
      'template_name', a.template_name, 'template_language', a.template_language, 'name_event', a.name_event,
      'template_status', a.template_status, 'template_changed', a.template_changed, 'is_marketing', a.is_marketing,
      'timezone', a.timezone, 'trace', a.trace, 'sending_hours', a.sending_hours,
      'frequency_caps', case when a.is_marketing then a.frequency_caps end,
      'agent_disabled', coalesce((
        select v.status <> 'active' from outbound.voice_agents as v
        where v.company_id = a.company_id and v.id = a.agent_id
      ), false),
      'was_unreachable', p.failures > 0, 'test_account', p.test_account,
      'by_marketing_endpoint',
        p.marketing_endpoint = 'marketing_messages' and a.template_category is not distinct from 'MARKETING'
    ))
    from about as a join paced as p on p.company_id = a.company_id and p.sender_id = a.sender_id
  ), 'messages', messages.claimed) end, (
    -- Summed up before it becomes JSON, because making JSON costs more than summing.
    select jsonb_agg(to_jsonb(move)) from (
      select c.company_id, c.campaign_id, - count(*) as pending, count(*) as processing from claimed as c group by 1, 2
    ) as move
  ) into claimed, moves
  from (
    select json_agg(json_build_array(
      c.campaign_id, c.id, c.fence, c.attempt, c.number, c.user_id, c.message, extract(epoch from c.expires_at) * 1000,
      extract(epoch from c.claimed_at - c.run_at)::real
    )) as claimed
    from claimed as c
  ) as messages;
end
$$;
revoke execute on function outbound.lease_notifications from public;
