-- Erases the recipients of a company's notifications, which the caller has locked: one that waits is skipped (erased),
-- one of unknown outcome fails; then what their tries and calls hold of the person, and moves the campaigns' counters.
-- Returns the counts {notifications, skipped, failed, calls}. A step of erase_contact.
create function outbound.erase_notifications(p_company_id uuid, p_ids uuid[])
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_counts jsonb;
  v_moves jsonb;
  v_calls int;
begin
  with erased as (
    update outbound.notifications as n
    set number = null, user_id = null, message = '{}', metadata = null, platform_message_id = null, lease_until = null,
      status = case n.status when 'unconfirmed' then 'failed' else was.becomes end,
      skipped_at = case was.becomes when 'skipped' then coalesce(n.skipped_at, now()) end,
      failed_at = case n.status when 'unconfirmed' then now() else n.failed_at end,
      error_code = case when n.status in ('scheduled', 'queued') then 'erased'
        when n.status = 'unconfirmed' then 'outcome_unknown' else n.error_code end,
      error_reason = case when n.status in ('scheduled', 'queued') then 'The recipient was erased'
        when n.status = 'unconfirmed'
          then 'The platform had not said whether it took the message when its recipient was erased'
        else n.error_reason end
    from (
      select w.id, w.status, case when w.status in ('scheduled', 'queued') then 'skipped' else w.status end as becomes
      from outbound.notifications as w where w.company_id = p_company_id and w.id = any (p_ids)
    ) as was
    where n.company_id = p_company_id and n.id = was.id
    returning n.campaign_id, was.status as was
  )
  select jsonb_build_object(
      'notifications', count(*), 'skipped', count(*) filter (where e.was in ('scheduled', 'queued')),
      'failed', count(*) filter (where e.was = 'unconfirmed')
    ),
    jsonb_agg(jsonb_build_object('company_id', p_company_id, 'campaign_id', e.campaign_id,
      'pending', - (e.was <> 'unconfirmed')::int, 'skipped', (e.was <> 'unconfirmed')::int,
      'processing', - (e.was = 'unconfirmed')::int, 'failed', (e.was = 'unconfirmed')::int
    )) filter (where e.was in ('scheduled', 'queued', 'unconfirmed'))
  into v_counts, v_moves from erased as e;

  update outbound.delivery_attempts as a set platform_message_id = null
  where a.company_id = p_company_id and a.notification_id = any (p_ids) and a.platform_message_id is not null;

  update outbound.calls as k set transcript = null, summary = null
  where k.company_id = p_company_id and k.notification_id = any (p_ids);
  get diagnostics v_calls = row_count;

  if v_moves is not null then
    perform outbound.move_campaign_counters(v_moves);
  end if;
  return v_counts || jsonb_build_object('calls', v_calls);
end
$$;
revoke execute on function outbound.erase_notifications from public;
