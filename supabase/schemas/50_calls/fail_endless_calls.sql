-- Fails calls that were accepted longer than p_after ago and never reported as over, so that their lines are free
-- again. Returns how many.
create function outbound.fail_endless_calls(p_limit int, p_after interval)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_moves jsonb;
  v_count int;
  v_companies uuid[];
  v_senders uuid[];
begin
  with endless as (
    select n.company_id, n.id from outbound.notification_facts as n
    where n.on_call and n.sent_at <= now() - p_after
    order by n.id limit p_limit for update skip locked
  ),
  ended as (
    update outbound.notification_facts as n
    set status = 'failed', failed_at = now(), error_code = 'outcome_unknown',
      error_reason = 'The platform took the call and never said how it ended'
    from endless where n.company_id = endless.company_id and n.id = endless.id
    returning n.company_id, n.campaign_id, n.sender_id
  )
  select count(*), jsonb_agg(jsonb_build_object(
      'company_id', e.company_id, 'campaign_id', e.campaign_id, 'sent', -1, 'failed', 1)),
    array_agg(e.company_id), array_agg(e.sender_id)
  into v_count, v_moves, v_companies, v_senders from ended as e;
  if v_moves is not null then
    perform outbound.move_campaign_counters(v_moves);
    perform outbound.schedule_senders(v_companies, v_senders, true);
  end if;
  return v_count;
end
$$;
revoke execute on function outbound.fail_endless_calls from public;
