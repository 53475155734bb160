-- Erases the recipients of a company's notifications, which the caller has locked: one that waits is skipped (erased),
-- one of unknown outcome fails; then what their tries and calls hold of the person, and moves the campaigns' counters.
-- Returns the counts {notifications, skipped, failed, calls}. A step of erase_person.
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
  with gone as (
    delete from outbound.queue as q where q.company_id = p_company_id and q.id = any (p_ids)
    returning q.id, q.status, q.attempt, q.fence, q.claimed_at
  ),
  settled as (
    select n.id, n.campaign_id, gone.status as was, coalesce(gone.attempt, n.attempt) as attempt,
      coalesce(gone.fence, n.fence) as fence, coalesce(gone.claimed_at, n.claimed_at) as claimed_at
    from outbound.notification_facts as n left join gone on gone.id = n.id
    where n.company_id = p_company_id and n.id = any (p_ids)
  ),
  erased as (
    update outbound.notification_facts as n
    set number = null, user_id = null, message = '{}', metadata = null, platform_message_id = null,
      status = case s.was when 'queued' then 'skipped' when 'unconfirmed' then 'failed' else n.status end,
      attempt = s.attempt, fence = s.fence, claimed_at = s.claimed_at,
      skipped_at = case when s.was = 'queued' then now() else n.skipped_at end,
      failed_at = case when s.was = 'unconfirmed' then now() else n.failed_at end,
      error_code = case s.was when 'queued' then 'erased' when 'unconfirmed' then 'outcome_unknown'
        else n.error_code end,
      error_reason = case s.was when 'queued' then 'The recipient was erased'
        when 'unconfirmed' then 'The platform had not said whether it took the message when its recipient was erased'
        else n.error_reason end
    from settled as s
    where n.company_id = p_company_id and n.id = s.id
    returning n.campaign_id, s.was
  )
  select jsonb_build_object(
      'notifications', count(*), 'skipped', count(*) filter (where e.was = 'queued'),
      'failed', count(*) filter (where e.was = 'unconfirmed')
    ),
    jsonb_agg(jsonb_build_object('company_id', p_company_id, 'campaign_id', e.campaign_id,
      'pending', - (e.was = 'queued')::int, 'skipped', (e.was = 'queued')::int,
      'processing', - (e.was = 'unconfirmed')::int, 'failed', (e.was = 'unconfirmed')::int
    )) filter (where e.was is not null)
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
