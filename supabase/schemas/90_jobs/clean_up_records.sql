-- Deletes old records of what was done: tries to send, the audit log, uploads, what members typed and did not save. A
-- step of clean_up.
create function outbound.clean_up_records(p_limit int)
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_delivery_attempts int;
  v_audit_log int;
  v_campaign_uploads int;
  v_unfinished int;
  v_member_drafts int;
begin
  delete from outbound.delivery_attempts as a where a.ctid = any (array(
    select o.ctid from outbound.delivery_attempts as o where o.finished_at < now() - interval '90 days'
    order by o.finished_at limit p_limit for update skip locked));
  get diagnostics v_delivery_attempts = row_count;

  delete from outbound.audit_log as l where l.ctid = any (array(
    select o.ctid from outbound.audit_log as o where o.at < now() - interval '2 years'
    order by o.at limit p_limit for update skip locked));
  get diagnostics v_audit_log = row_count;

  delete from outbound.campaign_uploads as u where u.ctid = any (array(
    select o.ctid from outbound.campaign_uploads as o where o.created_at < now() - interval '2 years'
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_campaign_uploads = row_count;

  -- With the members of their audiences.
  delete from outbound.campaign_uploads as u where u.ctid = any (array(
    select o.ctid from outbound.campaign_uploads as o
    where o.completed_at is null and o.created_at < now() - interval '90 days'
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_unfinished = row_count;

  delete from outbound.member_drafts as d where d.ctid = any (array(
    select o.ctid from outbound.member_drafts as o where o.updated_at < now() - interval '30 days'
    order by o.updated_at limit p_limit for update skip locked));
  get diagnostics v_member_drafts = row_count;

  return jsonb_build_object(
    'delivery_attempts', v_delivery_attempts, 'audit_log', v_audit_log, 'campaign_uploads', v_campaign_uploads + v_unfinished,
    'member_drafts', v_member_drafts
  );
end
$$;
revoke execute on function outbound.clean_up_records from public;
