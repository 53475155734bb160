-- Finishes what was sent by its first attempt, as nearly all messages are: p_worker still has it, and nothing else was
-- recorded of it. p_results is that of finish_notifications. Returns how many these are, what move_campaign_counters is
-- to move, what follow_up_results is to follow up, and the other results; null for none. A step of
-- finish_notifications.
create function outbound.finish_first_attempts(
  p_worker text, p_results jsonb, out changed int, out moves jsonb, out settled jsonb, out others jsonb
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per result. A plan is kept for the life of the connection, and may have been made for an
-- empty queue.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_done text[];
begin
  with sent as materialized (
    select * from jsonb_to_recordset(p_results) as r(
      company_id uuid, id uuid, fence int, outcome text, platform_message_id text, held_for_quality boolean
    )
    where r.outcome = 'sent' and r.fence = 1 order by r.id
  ),
  -- Locks each as it deletes it, in the order of their ids.
  gone as (
    delete from outbound.queue as q using sent
    where q.company_id = sent.company_id and q.id = sent.id
      and case when q.status = 'sending' and q.worker = p_worker and q.fence = sent.fence then true end
    returning q.company_id, q.id, q.attempt, q.fence, q.claimed_at, sent.platform_message_id, sent.held_for_quality
  ),
  finished as (
    update outbound.notification_facts as n
    set status = 'sent', attempt = gone.attempt, fence = gone.fence, claimed_at = gone.claimed_at,
      platform_message_id = gone.platform_message_id, sent_at = clock_timestamp(),
      held_for_quality = gone.held_for_quality
    from gone where n.company_id = gone.company_id and n.id = gone.id
    returning n.company_id, n.id, n.campaign_id, n.sender_id, n.voice, n.status, n.platform_message_id
  )
  select count(*), array_agg(f.id::text), coalesce(jsonb_agg(to_jsonb(f)) filter (where f.voice), '[]'), coalesce((
    -- Summed up before it becomes JSON, because making JSON costs more than summing.
    select jsonb_agg(to_jsonb(move)) from (
      select m.company_id, m.campaign_id, - count(*) as processing, count(*) as sent
      from finished as m group by m.company_id, m.campaign_id
    ) as move
  ), '[]')
  into changed, v_done, settled, moves
  from finished as f;
  if changed < jsonb_array_length(p_results) then
    others := outbound.results_without(p_results, v_done);
  end if;
end
$$;
revoke execute on function outbound.finish_first_attempts from public;

-- Returns those of p_results, as finish_notifications takes them, that are of none of these notifications; null for
-- none. Looks each up in an object by its key: comparing it with a whole array would take the square of the batch.
create function outbound.results_without(p_results jsonb, p_ids text[])
returns jsonb
language plpgsql immutable security invoker set search_path = ''
as $$
declare
  v_ids constant jsonb := jsonb_object(p_ids, p_ids);
begin
  return (
    select jsonb_agg(r.value) from jsonb_array_elements(p_results) as r
    where (v_ids ? (r.value ->> 'id')) is not true
  );
end
$$;
revoke execute on function outbound.results_without from public;
