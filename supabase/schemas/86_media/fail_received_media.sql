-- Records why a file that a person sent could not be stored, by the holder of its lease (p_attempt). It is fetched again
-- p_retry_in later, or never where that is null.
create function outbound.fail_received_media(
  p_company_id uuid, p_message_id uuid, p_attempt int, p_code text, p_reason text, p_retry_in interval
)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  update outbound.received_media as r
  set next_at = clock_timestamp() + p_retry_in, error_code = p_code, error_reason = p_reason
  where r.company_id = p_company_id and r.message_id = p_message_id
    and r.attempt = p_attempt and r.next_at is not null;
  if found and p_retry_in is not null then
    perform outbound.schedule_received_media(array[p_company_id], clock_timestamp() + p_retry_in);
  end if;
end
$$;
revoke execute on function outbound.fail_received_media from public;
