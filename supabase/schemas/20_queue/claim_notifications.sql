-- Leases up to p_limit due notifications to p_worker for p_lease: each becomes `sending`, its attempt and its fence
-- count up, and its campaign and its sender's rate are charged. choose_notifications and pick_due_notifications make
-- the choice, by the rules below; this function locks and leases it.
--
-- Skips recipients who have opted out, or who have not consented where that is needed: such a notification becomes
-- `skipped` (opted_out, no_consent), and is not returned. If the company has that rule, marketing to a person whom the
-- platform spares for a while (marketing_cooldowns) waits until then. Marketing is what a template's category says; of a call, which has no
-- template, its type.
--
-- A WhatsApp sender goes no faster than its rate; a voice sender has no more calls going on than it has lines.
-- Companies take turns; in each turn transactional goes before utility before marketing, then what was served longest ago.
-- Within a company transactional goes before utility before marketing, its senders take turns, and each sender's longest
-- due goes first. A round of a claim looks at no more than 64 senders (a sixteenth of p_limit, 16 at least); another one
-- follows where all that they have due is locked, and ten at most.
--
-- While a claim has a sender's rate state locked, other claims pass that sender by: claims of one sender never overlap,
-- and claims of different senders run side by side. They also pass by rows that another transaction has locked, and the
-- companies in p_except.
--
-- Returns {campaigns, messages}, or null if there is nothing to send; facts that messages share come once. A campaign:
--   company_id, campaign_id, sender_id; channel, platform_id, token_sealed, of its sender;
--   template_id, template_name, template_language, name_event, timezone, trace;
--   template_status, template_changed: the template as it is now: its state, and whether it needs other values than when
--     the request was accepted; null without a template;
--   is_marketing; sending_hours and, of marketing, frequency_caps: the company's (contact_rules); null where it has none;
--   agent_disabled: the agent that was to make its calls may not call any more;
--   was_unreachable: the sender's last tries did not reach the platform: a response must be reported (adjust_senders);
--   by_marketing_endpoint: a template of category MARKETING, whose sender uses the platform's endpoint for marketing.
-- A message is an array: campaign_id, id, fence, attempt, number, user_id, message, expires_at in milliseconds since 1970,
-- and the seconds from when it was due until now.
create function outbound.claim_notifications(
  p_worker text, p_limit int, p_lease interval, p_except uuid[] default '{}'
)
returns json
language plpgsql security invoker set search_path = ''
-- One plan, made once per connection, that uses indexes whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_chosen record;
  v_claimed json;
begin
  select c.* into v_chosen from outbound.choose_notifications(p_limit, p_except) as c;
  if v_chosen.ids is null then
    perform outbound.schedule_senders(
      v_chosen.seen_companies, v_chosen.seen_senders, false, p_from_first => true);
    perform outbound.schedule_senders(
      v_chosen.idle_companies, v_chosen.idle_senders, false, clock_timestamp() + interval '100 ms', true);
    return null;
  end if;

  with locked as materialized (
    select n.* from unnest(v_chosen.companies, v_chosen.ids) as chosen(company_id, id)
    -- Lateral: one look-up per row. As a join it becomes, without statistics, a scan of everything that waits. So does
    -- the look-up when the condition on the state is written as in the indexes of what waits.
    cross join lateral (
      select w.company_id, w.id, w.campaign_id, w.voice, w.number, w.user_id from outbound.notifications as w
      where w.company_id = chosen.company_id and w.id = chosen.id
        and case when w.status in ('scheduled', 'queued') then true end
      for update skip locked
    ) as n
  ),
  -- One look-up per campaign, not one per message.
  about as materialized (
    select g.company_id, g.id as campaign_id, g.sender_id, g.template_id, g.template_name, g.template_language, g.name_event,
      g.timezone, g.trace, g.agent_id, g.template_status, g.template_changed, g.template_category,
      coalesce(g.template_category = 'MARKETING', g.notification_type = 'marketing') as is_marketing,
      r.consent_policy, r.marketing_cooldown, r.sending_hours, r.frequency_caps
    from (select distinct l.company_id, l.campaign_id from locked as l) as used
    cross join lateral (
      select w.company_id, w.id, w.sender_id, w.notification_type, w.template_id, w.template_name, w.template_language, w.name_event,
        w.timezone, w.trace, w.agent_id, t.status as template_status, t.category as template_category,
        t.shape <> w.template_shape as template_changed
      from outbound.campaigns as w
      left join lateral (
        select u.status, u.shape, u.category from outbound.templates as u
        where u.company_id = w.company_id and u.id = w.template_id limit 1
      ) as t on true
      where w.company_id = used.company_id and w.id = used.campaign_id limit 1
    ) as g
    left join lateral (
      select u.consent_policy, u.marketing_cooldown, nullif(u.sending_hours, '[]') as sending_hours,
        nullif(u.frequency_caps, '[]') as frequency_caps
      from outbound.contact_rules as u where u.company_id = g.company_id limit 1
    ) as r on true
  ),
  -- The rules about the recipients, as they are now: they may have changed since the request was accepted.
  judged as materialized (
    select l.company_id, l.id, rule.skip_code, case when rule.skip_code is null then rule.cooldown_until end as cooldown_until,
      rule.skip_code is null and rule.cooldown_until is null as may_leave
    from locked as l
    join about on about.company_id = l.company_id and about.campaign_id = l.campaign_id
    cross join lateral (
      select
        case
          -- Lateral, address by address: without statistics `any` becomes a scan of all the company's people.
          when exists (
            select from (values (l.number), (l.user_id)) as a(address)
            cross join lateral (
              select from outbound.suppressions as s
              where s.company_id = l.company_id and s.address = a.address and s.lifted_at is null
                and s.channel in ('any', case when l.voice then 'voice' else 'whatsapp' end)
                and (s.category = 'all' or about.is_marketing)
              limit 1
            ) as suppression
          ) then 'opted_out'
          when about.is_marketing and about.consent_policy = 'require'
            and not outbound.is_consent_given(l.company_id, array[l.number, l.user_id], l.voice) then 'no_consent'
        end as skip_code,
        case when about.is_marketing and about.marketing_cooldown and not l.voice then (
          select max(r.until) from (values (l.number), (l.user_id)) as a(address)
          cross join lateral (
            select m.until from outbound.marketing_cooldowns as m
            where m.company_id = l.company_id and m.address = a.address and m.until > clock_timestamp() limit 1
          ) as r
        ) end as cooldown_until
    ) as rule
  ),
  taken as (
    update outbound.notifications as n
    set status = case when j.may_leave then 'sending' when j.skip_code is not null then 'skipped' else n.status end,
      attempt = n.attempt + j.may_leave::int, fence = n.fence + j.may_leave::int,
      worker = case when j.may_leave then p_worker end,
      claimed_at = case when j.may_leave then clock_timestamp() else n.claimed_at end,
      lease_until = case when j.may_leave then clock_timestamp() + p_lease end,
      skipped_at = case when j.skip_code is not null then clock_timestamp() end,
      -- A message that leaves does not wait any more.
      error_code = coalesce(j.skip_code, case when j.cooldown_until is not null then 'marketing_cooldown' end),
      error_reason = case when j.skip_code is not null then outbound.skip_reason(j.skip_code)
        when j.cooldown_until is not null then 'The platform spares the recipient more marketing until then' end,
      -- A person whom the platform spares for a while: later, with as long to live as before.
      run_at = coalesce(j.cooldown_until, n.run_at),
      expires_at = n.expires_at + coalesce(j.cooldown_until - clock_timestamp(), interval '0')
    from judged as j
    where n.company_id = j.company_id and n.id = j.id
    returning n.company_id, n.id, n.campaign_id, n.sender_id, n.status, n.fence, n.attempt, n.number, n.user_id, n.message,
      n.expires_at, n.run_at, n.claimed_at
  ),
  claimed as (select t.* from taken as t where t.status = 'sending'),
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
    returning r.company_id, r.sender_id, r.failures, s.channel, s.platform_id, s.token_sealed, s.marketing_endpoint
  ),
  moved as (
    select t.company_id, t.campaign_id, (count(*) filter (where t.status = 'sending'))::int as claimed,
      (count(*) filter (where t.status = 'skipped'))::int as skipped
    from taken as t where t.status in ('sending', 'skipped') group by 1, 2
  ),
  locked_campaign as (
    select moved.* from outbound.campaigns as g
    join moved on moved.company_id = g.company_id and moved.campaign_id = g.id
    order by g.id for no key update of g
  ),
  campaign as (
    update outbound.campaigns as g
    set pending = g.pending - moved.claimed - moved.skipped, processing = g.processing + moved.claimed,
      skipped = g.skipped + moved.skipped,
      started_at = coalesce(g.started_at, case when moved.claimed > 0 then now() end),
      completed_at = case
        when g.pending - moved.claimed - moved.skipped + g.processing + moved.claimed = 0 and g.open_until is null
          then coalesce(g.completed_at, now())
      end
    from locked_campaign as moved where g.company_id = moved.company_id and g.id = moved.campaign_id
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
        select v.status <> 'active' from outbound.voice_agents as v where v.company_id = a.company_id and v.id = a.agent_id
      ), false),
      'was_unreachable', p.failures > 0,
      'by_marketing_endpoint',
        p.marketing_endpoint = 'marketing_messages' and a.template_category is not distinct from 'MARKETING'
    ))
    from about as a join paced as p on p.company_id = a.company_id and p.sender_id = a.sender_id
  ), 'messages', messages.claimed) end into v_claimed
  from (
    select json_agg(json_build_array(
      c.campaign_id, c.id, c.fence, c.attempt, c.number, c.user_id, c.message, extract(epoch from c.expires_at) * 1000,
      extract(epoch from c.claimed_at - c.run_at)::real
    )) as claimed
    from claimed as c
  ) as messages;

  if v_chosen.has_calls then
    perform outbound.open_calls(p_worker, v_chosen.companies, v_chosen.ids);
  end if;
  perform outbound.schedule_senders(
    v_chosen.seen_companies, v_chosen.seen_senders, false, p_from_first => true);
  perform outbound.schedule_senders(
    v_chosen.idle_companies, v_chosen.idle_senders, false, clock_timestamp() + interval '100 ms', true);
  return v_claimed;
end
$$;
revoke execute on function outbound.claim_notifications from public;
