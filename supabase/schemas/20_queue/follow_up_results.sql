-- Does what follows from the results of attempts, besides the counters: what came back to the queue is held or
-- cancelled with its campaign, a refusal for marketing says something about the person, events about a call that was
-- taken are due again, and a call that is over frees its line. p_results: [{company_id, id, sender_id, voice, status,
-- run_at (of what came back), platform_message_id, error_code}, …]. The caller has the campaigns locked. A step of
-- finish_notifications.
create function outbound.follow_up_results(p_results jsonb)
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  v record;
begin
  select
    array_agg(r.company_id) filter (where r.status = 'queued') as companies,
    array_agg(r.id) filter (where r.status = 'queued') as requeued,
    array_agg(r.sender_id) filter (where r.status = 'queued') as senders,
    array_agg(r.run_at) filter (where r.status = 'queued') as times,
    array_agg(r.platform_message_id) filter (where r.voice and r.status = 'sent') as called,
    array_agg(r.company_id) filter (where r.error_code in ('131049', '131050')) as refusing_companies,
    array_agg(r.id) filter (where r.error_code in ('131049', '131050')) as refused,
    array_agg(r.error_code) filter (where r.error_code in ('131049', '131050')) as refusals,
    array_agg(r.company_id) filter (where r.voice and r.status in ('queued', 'failed')) as calling_companies,
    array_agg(r.sender_id) filter (where r.voice and r.status in ('queued', 'failed')) as callers
  into v
  from jsonb_to_recordset(p_results) as r(
    company_id uuid, id uuid, sender_id uuid, voice boolean, status text, run_at timestamptz, platform_message_id text,
    error_code text
  );
  if v.requeued is not null then
    perform outbound.stop_requeued(v.companies, v.requeued);
  end if;
  if v.called is not null then
    perform outbound.retry_events_of_calls(v.called);
  end if;
  if v.refused is not null then
    perform outbound.record_marketing_refusals(
      v.refusing_companies, v.refused, v.refusals, array_fill(now(), array[cardinality(v.refused)]));
  end if;
  -- In one statement, because a transaction locks all its turns at once.
  if v.callers is not null then
    perform outbound.schedule_senders(v.calling_companies || v.companies, v.callers || v.senders, true);
  elsif v.requeued is not null then
    perform outbound.advance_senders(v.companies, v.senders, v.times);
  end if;
end
$$;
revoke execute on function outbound.follow_up_results from public;
