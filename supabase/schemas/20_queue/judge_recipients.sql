-- Asks the rules about the recipients of notifications that a claim has locked, as they are now: they may have changed
-- since the request was accepted. companies, ids: those that may leave. refused_companies, refused: those that may not;
-- codes says why, as error_code of a skipped notification, and where it is null, times says until when the platform
-- spares the recipient more marketing. moves: what move_campaign_counters is to move for those that never leave. A step
-- of claim_notifications.
create function outbound.judge_recipients(
  p_companies uuid[], p_ids uuid[], out companies uuid[], out ids uuid[], out refused_companies uuid[],
  out refused uuid[], out codes text[], out times timestamptz[], out moves jsonb
)
language plpgsql security invoker set search_path = ''
-- One plan, made once per connection, that uses indexes whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  with locked as materialized (
    select n.company_id, n.id, n.campaign_id, n.voice, n.number, n.user_id
    from unnest(p_companies, p_ids) as l(company_id, id)
    cross join lateral (
      select * from outbound.notification_facts as f where f.company_id = l.company_id and f.id = l.id limit 1
    ) as n
  ),
  -- One look-up per campaign, not one per message.
  about as materialized (
    select g.company_id, g.campaign_id, g.is_marketing, r.consent_policy, r.marketing_cooldown
    from (select distinct l.company_id, l.campaign_id from locked as l) as used
    cross join lateral (
      select w.company_id, w.id as campaign_id, coalesce((
        select u.category = 'MARKETING' from outbound.templates as u
        where u.company_id = w.company_id and u.id = w.template_id limit 1
      ), w.notification_type = 'marketing') as is_marketing
      from outbound.campaigns as w where w.company_id = used.company_id and w.id = used.campaign_id limit 1
    ) as g
    left join lateral (
      select u.consent_policy, u.marketing_cooldown from outbound.contact_rules as u
      where u.company_id = g.company_id limit 1
    ) as r on true
  ),
  judged as (
    select l.company_id, l.id, l.campaign_id, rule.skip_code,
      case when rule.skip_code is null then rule.cooldown_until end as cooldown_until,
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
  )
  select array_agg(j.company_id) filter (where j.may_leave), array_agg(j.id) filter (where j.may_leave),
    array_agg(j.company_id) filter (where not j.may_leave), array_agg(j.id) filter (where not j.may_leave),
    array_agg(j.skip_code) filter (where not j.may_leave), array_agg(j.cooldown_until) filter (where not j.may_leave),
    jsonb_agg(jsonb_build_object('company_id', j.company_id, 'campaign_id', j.campaign_id, 'pending', -1, 'skipped', 1))
      filter (where j.skip_code is not null)
  into companies, ids, refused_companies, refused, codes, times, moves
  from judged as j;
end
$$;
revoke execute on function outbound.judge_recipients from public;
