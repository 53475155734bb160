-- Decides the requests of a batch, for accept_notifications, which describes them and their outcomes. Reads only. Each
-- array has an element for each request, at its ord: its outcome with what belongs to it, then what storing it needs.
-- p_hashes, p_keys, p_uses: the hashes of the locked keys, the keys, and today's use of each, in the same order.
-- Rules that few batches need have functions of their own, called for these only, because Postgres prepares all of a
-- statement before it runs any of it. For the same reason a fact that one row has is a subquery and no join.
-- The switches of accept_notifications hold here: setting them again takes 10 µs.
create function outbound.check_requests(
  p_hashes text[], p_keys outbound.api_keys[], p_uses outbound.usage[], p_sources json, p_requests json,
  p_notifications json, out outcomes text[], out first_responses json[], out recipients json[],
  out mismatches json[], out rate_limits int[], out remaining int[], out reset_s int[], out quotas int[],
  out quota_used int[], out companies uuid[], out api_keys uuid[], out campaigns uuid[], out senders uuid[],
  out are_calls boolean[], out priorities smallint[], out are_metered boolean[], out sizes int[],
  out due_at timestamptz[], out expires_at timestamptz[]
)
language plpgsql stable security invoker set search_path = ''
as $$
declare
  v_keyed text[];
  v_added text[];
  v_are_paused boolean[];
begin
  if strpos(p_requests::text, '"idempotency_key"') > 0 then
    select k.outcomes, k.first_responses into v_keyed, first_responses
    from outbound.check_idempotency_keys(p_hashes, p_keys, p_sources, p_requests) as k;
  end if;
  if strpos(p_requests::text, '"is_addition"') > 0 then
    select a.outcomes, a.mismatches, a.are_paused into v_added, mismatches, v_are_paused
    from outbound.check_additions(p_hashes, p_keys, p_sources, p_requests) as a;
  end if;

  with source as materialized (
    select k.source, k.company_id, k.channel, k.sender_id, k.ttl_s, k.dry_run is true as is_dry_run,
      k.unmetered is not true as is_metered, (k.key).id as api_key_id, (k.key).rate_limit, (k.key).daily_quota,
      (k.usage).window_start, (k.usage).requests as used_requests, (k.usage).notifications as used_notifications,
      case
        when k.company_id is null then 'unauthorized'
        when not (select o.api_access from outbound.companies as o where o.id = k.company_id) then 'no_api_access'
        when not k.permission = any ((k.key).permissions) or k.sender_id <> all ((k.key).sender_ids) then 'forbidden'
      end as refusal,
      -- Its sender, template or agent changed since its requests were checked, or hashes are missing. Without offset, a
      -- plan made while there were few would go on reading all of every company's.
      k.over_budget is null or k.template_id is not null and k.category is null
      or k.agent_id is not null and not exists (
        select from outbound.voice_agents as a
        where a.company_id = k.company_id and a.id = k.agent_id and a.status = 'active' offset 0
      )
      or k.has_erased and k.knows_erased is not true as is_stale,
      coalesce(k.category = 'MARKETING', k.notification_type = 'marketing') as is_marketing,
      k.notification_type = 'transactional' as is_transactional, k.over_budget,
      case when k.policy <> 'warn' or k.warned is not true then k.policy end as policy,
      k.has_erased or coalesce(k.policy <> 'off', false)
        or exists (select from outbound.suppressions as p where p.company_id = k.company_id offset 0) as asks_recipients
    from (
      select g.*, (g.key).company_id, p_uses[g.index] as usage,
        (
          select t.category from outbound.templates as t
          where t.company_id = (g.key).company_id and t.id = g.template_id and t.status = 'approved'
            and t.shape = g.template_shape
        ) as category,
        (select n.over_budget is true from outbound.senders as n
          where n.company_id = (g.key).company_id and n.id = g.sender_id and not n.locked) as over_budget,
        (select w.consent_policy from outbound.contact_rules as w where w.company_id = (g.key).company_id) as policy,
        exists (
          select from outbound.erased_contacts as e where e.company_id = (g.key).company_id offset 0
        ) as has_erased
      from (
        select s.*, p_keys[array_position(p_hashes, s.key_hash)] as key, array_position(p_hashes, s.key_hash) as index
        from json_to_recordset(p_sources) as s(
          source int, key_hash text, permission text, ttl_s int, channel text, notification_type text, sender_id uuid,
          template_id uuid, template_shape text, agent_id uuid, knows_erased boolean, warned boolean, dry_run boolean,
          unmetered boolean
        ) offset 0
      ) as g offset 0
    ) as k
  ),
  refused as materialized (
    select outbound.refused_recipients(p_requests, p_notifications, json_agg(s)) as recipients
    from source as s where s.asks_recipients
  ),
  judged as (
    select r.ord, r.id, r.size, greatest(r.scheduled_time, now()) as due_at, s.*,
      coalesce(s.refusal, v_keyed[r.ord], case when s.is_stale then 'stale' end, v_added[r.ord], case
        when s.asks_recipients and (select f.recipients from refused as f)[r.ord] is not null then 'recipients'
        when v_are_paused[r.ord] then 'campaign_paused'
        when s.used_requests >= s.rate_limit and s.is_metered and not s.is_dry_run then 'rate_limited'
        when s.over_budget then 'budget_exceeded'
        when s.used_notifications + r.size > s.daily_quota then 'quota_exceeded'
        when s.is_dry_run then 'acceptable'
      end) as verdict
    from json_to_recordset(p_requests) as r(ord int, source int, size int, id uuid, scheduled_time timestamptz)
    join source as s on s.source = r.source offset 0
  ),
  counted as (
    select j.*,
      (count(*) filter (where j.verdict is null and j.is_metered) over key_so_far)::int as more_requests,
      (coalesce(sum(j.size) filter (where j.verdict is null) over key_so_far, 0))::int as more_notifications
    from judged as j window key_so_far as (partition by j.api_key_id order by j.ord)
  ),
  decided as (
    select c.*, coalesce(c.verdict, case
      when c.used_requests + c.more_requests > c.rate_limit and c.is_metered
        or c.used_notifications + c.more_notifications > c.daily_quota then 'undecided' else 'accepted'
    end) as outcome
    from counted as c order by c.ord
  )
  select array_agg(d.outcome), array_agg(coalesce(d.rate_limit, 0)),
    array_agg(coalesce(greatest(d.rate_limit - d.used_requests - d.more_requests, 0), 0)),
    -- The expression of outbound.seconds_until, because calling it costs 2 to 3 µs per request.
    array_agg(coalesce(greatest(1, ceil(extract(epoch from d.window_start + interval '1 minute' - now()))), 0)::int),
    array_agg(coalesce(d.daily_quota, 0)), array_agg(coalesce(
      least(d.used_notifications + d.more_notifications, greatest(d.used_notifications, d.daily_quota)), 0)),
    array_agg(d.company_id), array_agg(d.api_key_id), array_agg(d.id), array_agg(d.sender_id),
    array_agg(d.channel = 'voice'),
    array_agg((case when d.is_marketing then 2 when d.is_transactional then 0 else 1 end)::smallint),
    array_agg(d.is_metered), array_agg(d.size), array_agg(d.due_at),
    array_agg(d.due_at + make_interval(secs => d.ttl_s)),
    case when bool_or(d.outcome = 'recipients') then (select f.recipients from refused as f) end
  into outcomes, rate_limits, remaining, reset_s, quotas, quota_used, companies, api_keys, campaigns, senders,
    are_calls, priorities, are_metered, sizes, due_at, expires_at, recipients
  from decided as d;

  if outcomes && array['stale', 'recipients', 'rate_limited', 'quota_exceeded', 'budget_exceeded', 'undecided'] then
    outcomes := outbound.outcomes_of_stored(p_requests, companies, outcomes);
  end if;
end
$$;
revoke execute on function outbound.check_requests from public;
