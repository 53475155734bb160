-- Returns what became of the file of a person's message: {state, content_type, bytes, error_code, error_reason};
-- docs/media.md lists the states.
create function outbound.attachment_of(p_company_id uuid, p_message_id uuid)
returns jsonb
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return '{"content_type": null, "bytes": null, "error_code": null, "error_reason": null}'::jsonb || coalesce(
    (
      select jsonb_build_object('state', 'stored', 'content_type', f.content_type, 'bytes', f.bytes)
      from outbound.media_files as f where f.company_id = p_company_id and f.message_id = p_message_id
    ),
    (
      select jsonb_build_object(
        'state', case when r.next_at is null then 'not_stored' else 'waiting' end,
        'error_code', r.error_code, 'error_reason', r.error_reason
      )
      from outbound.received_media as r where r.company_id = p_company_id and r.message_id = p_message_id
    ),
    '{"state": "on_platform"}'
  );
end
$$;
revoke execute on function outbound.attachment_of from public;
