-- Records the outcomes of tries by p_worker, each an object:
--   company_id, id, fence, attempt, started_at, http_status, error_code, reason, and outcome:
--   sent (platform_message_id, held_for_quality), failed (error_code, reason),
--   retry (retry_in_s: refused for now), not_sent (retry_in_s: it never left, so the try does not count),
--   unknown (the platform may have accepted it: wait p_window for its event), released (handed back untried),
--   postponed (error_code, retry_in_s: untried too, its time has not come; its time to live grows by as much),
--   skipped (error_code: untried too, a rule about the recipient keeps it from leaving).
-- The try is always recorded, if its notification still exists: a first one that sends it in its own row, any other in
-- delivery_attempts. If only the lease ran out, the outcome counts as if it had come in time. That a message was sent
-- counts also for an earlier try, and when the row has failed as unknown or expired, was queued again, was cancelled
-- or was skipped since: what was accepted must not be sent twice. While another try is under way the row keeps its
-- state.
-- The platform's message id contains the number: if the recipient was erased meanwhile, it is not stored.
-- Returns how many rows changed state.
create function outbound.finish_notifications(p_worker text, p_results jsonb, p_window interval)
returns int
language plpgsql security invoker set search_path = ''
as $$
declare
  v_first record;
  v_others record;
  v_changed int;
  v_moves jsonb;
  v_settled jsonb;
begin
  perform outbound.lock_results(p_worker, p_results);
  v_first := outbound.finish_first_attempts(p_worker, p_results);
  v_changed := v_first.changed;
  v_moves := v_first.moves;
  v_settled := v_first.settled;
  if v_first.others is not null then
    v_others := outbound.finish_other_attempts(p_worker, v_first.others, p_window);
    v_changed := v_changed + v_others.changed;
    v_moves := v_moves || v_others.moves;
    v_settled := v_settled || v_others.settled;
  end if;
  if v_moves <> '[]' then
    perform outbound.move_campaign_counters(v_moves);
  end if;
  if v_settled <> '[]' then
    perform outbound.follow_up_results(v_settled);
  end if;
  return v_changed;
end
$$;
revoke execute on function outbound.finish_notifications from public;
