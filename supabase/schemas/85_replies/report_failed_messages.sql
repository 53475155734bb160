-- Writes message.failed for replies that failed.
create function outbound.report_failed_messages(p_companies uuid[], p_ids uuid[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  if p_ids is null then
    return;
  end if;
  perform outbound.write_event(m.company_id, 'message.failed', now(), json_build_object(
    'company_id', m.company_id, 'message_id', m.id, 'sender_id', m.sender_id, 'number', m.number,
    'user_id', m.user_id, 'kind', m.kind, 'purpose', m.purpose, 'platform_message_id', m.platform_message_id,
    'error_code', m.error_code, 'error_reason', m.error_reason, 'created_at', outbound.iso_time(m.created_at)
  ))
  from unnest(p_companies, p_ids) as failed(company_id, id)
  join outbound.contact_messages as m on m.company_id = failed.company_id and m.id = failed.id;
end
$$;
revoke execute on function outbound.report_failed_messages from public;
