-- Completes an upload whose file or audience was read to its end by the request p_run, and closes its campaign: nothing
-- more is added. Returns whether it did; it does not once another request goes on with it.
create function outbound.complete_upload(p_company_id uuid, p_upload_id uuid, p_run int)
returns boolean
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_campaign_id uuid;
begin
  update outbound.campaign_uploads as u
  set completed_at = now(), changed_at = now(), in_doubt_since = null, stopped = null
  where u.company_id = p_company_id and u.id = p_upload_id and u.run = p_run and u.completed_at is null
  returning u.campaign_id into v_campaign_id;
  if not found then
    return false;
  end if;
  update outbound.upload_audiences as a set next_at = null
  where a.company_id = p_company_id and a.upload_id = p_upload_id;
  delete from outbound.upload_members as m where m.company_id = p_company_id and m.upload_id = p_upload_id;
  update outbound.campaigns as g
  set open_until = null, completed_at = case when g.pending + g.processing = 0 then now() end
  where g.company_id = p_company_id and g.id = v_campaign_id and g.open_until is not null;
  return true;
end
$$;
revoke execute on function outbound.complete_upload from public;
