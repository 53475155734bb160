-- Returns a time before which no row of a schedule is due; p_schedule: senders, replies, received_media, webhooks,
-- failing_webhooks, or history (fold_history).
-- An old snapshot keeps an index entry for each time that a row had since, and each claim would step over all of them.
-- Functions that set a time therefore set none that is past. Ticks move this time on (move_due_from).
create function outbound.due_from(p_schedule text)
returns timestamptz
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return coalesce((
    select (s.value #>> '{}')::timestamptz from outbound.settings as s where s.name = 'due_from:' || p_schedule
  ), '-infinity');
end
$$;
revoke execute on function outbound.due_from from public;
