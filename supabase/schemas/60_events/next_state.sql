-- Returns the state of a notification after events of the platform about it: a pure function of its row and of what the
-- events say together. apply_platform_events says in words what moves what.
-- p_status, p_attempt, p_fence, p_error_code, p_message: of the row; p_message is the platform's id of the message that
-- counts as sent. p_may_retry: it may be tried once more.
-- p_is_sent, p_is_delivered, p_is_read: a receipt says so, of whichever attempt; a later stage implies the earlier
-- ones.
-- p_refused_for_good, p_refused_for_now: the present attempt failed. p_failed_messages, p_failed_before: the messages
-- that failed, of the present attempt and of earlier ones; p_sent_messages, p_sent_fences: those that were reported as
-- sent, and of which attempts.
-- p_other_message: another message that was accepted, if the one that counts has failed. p_other_attempt_was_sent: the
-- same of an erased recipient, whose message ids are not stored.
create function outbound.next_state(
  p_status text, p_attempt int, p_fence int, p_error_code text, p_message text, p_is_erased boolean,
  p_may_retry boolean, p_is_sent boolean, p_is_delivered boolean, p_is_read boolean, p_refused_for_good boolean,
  p_refused_for_now boolean, p_failed_messages text[], p_failed_before text[], p_sent_messages text[],
  p_sent_fences int[], p_other_message text, p_other_attempt_was_sent boolean
)
returns text
language sql immutable security invoker set search_path = ''
return case
  when p_status in ('queued', 'cancelled', 'skipped') and p_attempt = 0 then p_status
  when p_status = 'read' or p_is_read then 'read'
  when p_status = 'delivered' or p_is_delivered then 'delivered'
  when p_status = 'sent' then case
    when p_message = any (p_failed_messages || p_failed_before) and p_other_message is null then 'failed'
    when p_is_erased and p_failed_messages is not null and p_sent_messages is null
      and p_other_attempt_was_sent is not true then 'failed'
    else 'sent' end
  -- Accepted in another attempt than the present one, whatever the outcome of that one.
  when p_fence <> any (p_sent_fences) then 'sent'
  when p_status = 'failed' and coalesce(p_error_code not in ('outcome_unknown', 'expired'), true) then 'failed'
  when p_status in ('cancelled', 'skipped')
    then case when not p_is_sent or p_failed_messages && p_sent_messages then p_status else 'sent' end
  when p_refused_for_good or p_failed_messages && p_sent_messages then 'failed'
  when p_is_sent then 'sent'
  when p_status = 'unconfirmed' and p_refused_for_now then case when p_may_retry then 'queued' else 'failed' end
  else p_status
end;
revoke execute on function outbound.next_state from public;
