-- Makes the next notifications of a campaign that begin_resend has stored, at most one for each of p_ids, in one
-- transaction that locks nothing for long. Each has the message of the one that failed, which it replaces
-- (resent_as): that is never resent again. Returns whether all are made; otherwise call again.
--
-- The last step takes those off the campaign's counters that could not be made: erased or delivered since they were
-- counted, or cancelled before they were made.
create function outbound.continue_resend(p_company_id uuid, p_campaign_id uuid, p_ids uuid[], p_ttl_s int)
returns boolean
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_job outbound.resends;
  v_campaign outbound.campaigns;
  v_last uuid;
  v_seen int;
  v_from uuid[];
  v_made int := 0;
  v_priority smallint;
  v_due timestamptz;
  v_is_over boolean;
begin
  select * into v_job from outbound.resends as r
  where r.company_id = p_company_id and r.campaign_id = p_campaign_id for update;
  if not found then
    return true;
  end if;

  select count(*), (array_agg(f.id order by f.id desc))[1],
    (array_agg(f.id order by f.id) filter (where f.refusal is null))[1:v_job.remaining]
  into v_seen, v_last, v_from
  from outbound.resend_candidates(
    p_company_id, v_job.resend_of, v_job.codes, v_job.after_id, cardinality(p_ids)) as f;
  v_from := array(
    select n.id from outbound.notification_facts as n
    where n.company_id = p_company_id and n.id = any (v_from) and n.status in ('failed', 'skipped')
      and n.resent_as is null and num_nonnulls(n.number, n.user_id) > 0
    order by n.id for no key update
  );
  select * into v_campaign from outbound.campaigns as g
  where g.company_id = p_company_id and g.id = p_campaign_id for no key update;

  -- As accept_notifications gives it: the platform may have changed the template's category since.
  v_priority := case
    when coalesce((
      select t.category = 'MARKETING' from outbound.templates as t
      where t.company_id = p_company_id and t.id = v_campaign.template_id limit 1
    ), v_campaign.notification_type = 'marketing') then 2
    when v_campaign.notification_type = 'transactional' then 0
    else 1
  end;
  v_due := coalesce(v_campaign.scheduled_time, now());
  if v_campaign.cancelled_at is null then
    with made as (
      insert into outbound.notification_facts (
        company_id, id, campaign_id, sender_id, voice, number, user_id, message, metadata, area
      )
      select n.company_id, p_ids[old.ord], v_campaign.id, n.sender_id, n.voice, n.number, n.user_id, n.message,
        n.metadata, coalesce(n.area, outbound.area_of(n.number), left(n.user_id, 2), '')
      from unnest(v_from) with ordinality as old(id, ord)
      join outbound.notification_facts as n on n.company_id = p_company_id and n.id = old.id
      returning company_id, id, campaign_id, sender_id, voice, area
    ),
    counted as (
      insert into outbound.history_changes (company_id, at, area, metric, campaign_ids)
      select m.company_id, now(), m.area, 'accepted', array_agg(m.campaign_id) from made as m group by 1, 3
    ),
    queued as (
      insert into outbound.queue (
        company_id, id, campaign_id, sender_id, voice, priority, is_scheduled, run_at, held_run_at, expires_at
      )
      select made.company_id, made.id, made.campaign_id, made.sender_id, made.voice, v_priority, v_due > now(),
        case when hold.is_held then 'infinity' else v_due end, case when hold.is_held then v_due end,
        v_due + make_interval(secs => p_ttl_s)
      from made
      cross join (select num_nonnulls(v_campaign.paused_at, v_campaign.held_reason) > 0 as is_held) as hold
    )
    update outbound.notification_facts as n set resent_as = p_ids[old.ord]
    from unnest(v_from) with ordinality as old(id, ord)
    where n.company_id = p_company_id and n.id = old.id;
    get diagnostics v_made = row_count;
  end if;
  v_job.remaining := v_job.remaining - v_made;
  v_is_over := v_campaign.cancelled_at is not null or v_seen < cardinality(p_ids) or v_job.remaining = 0;

  if v_is_over then
    delete from outbound.resends as r where r.company_id = p_company_id and r.campaign_id = p_campaign_id;
    update outbound.campaigns as g
    set total = g.total - v_job.remaining, pending = g.pending - v_job.remaining,
      completed_at = case when g.pending - v_job.remaining + g.processing = 0 then now() end
    where g.company_id = p_company_id and g.id = p_campaign_id and v_job.remaining > 0;
  else
    update outbound.resends as r set after_id = v_last, remaining = v_job.remaining, stepped_at = now()
    where r.company_id = p_company_id and r.campaign_id = p_campaign_id;
  end if;
  if v_made > 0 then
    perform outbound.advance_senders(array[p_company_id], array[v_campaign.sender_id], array[v_due]);
  end if;
  return v_is_over;
end
$$;
revoke execute on function outbound.continue_resend from public;
