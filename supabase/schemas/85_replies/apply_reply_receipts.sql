-- Applies the platform's receipts for replies, before the webhook responds: they are few. State only moves forward; a
-- receipt counts whichever attempt it is of, a failure only for the attempt that it names and only until the reply was
-- delivered.
-- p_receipts: [{waba_id, company_id, id, fence, platform_message_id, status, error_code, reason}, …].
-- Receipts for replies that are not ours are counted. Returns how many changed a reply.
create function outbound.apply_reply_receipts(p_receipts json)
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_changed int;
  v_companies uuid[];
  v_failed uuid[];
  v_foreign bigint;
begin
  perform outbound.record_account_events(
    array(select distinct r ->> 'waba_id' from json_array_elements(p_receipts) as r));
  -- Lock all of them at once and in their order; a reply may have several receipts.
  perform from (
    select distinct r.company_id, r.id from json_to_recordset(p_receipts) as r(company_id uuid, id uuid)
    order by r.company_id, r.id
  ) as r
  cross join lateral (
    select from outbound.contact_messages as m
    where m.company_id = r.company_id and m.id = r.id and m.direction = 'out' for update
  ) as locked;

  with receipt as materialized (
    select r.*, m.status as was, m.error_code as was_error_code, m.fence as last_fence,
      array_position('{sent,delivered,read}'::text[], r.status) as step,
      coalesce(array_position('{sent,delivered,read}'::text[], m.status), 0) as was_step
    from json_to_recordset(p_receipts) as r(
      company_id uuid, id uuid, fence int, platform_message_id text, status text, error_code text, reason text
    )
    join outbound.contact_messages as m on m.company_id = r.company_id and m.id = r.id and m.direction = 'out'
  ),
  furthest as (
    select distinct on (r.company_id, r.id) r.* from receipt as r
    where r.step > r.was_step and (
        r.step > 1 or r.was <> 'failed' or r.was_error_code in ('outcome_unknown', 'expired')
      )
      or r.status = 'failed' and r.fence = r.last_fence and r.was in ('sending', 'unconfirmed', 'sent')
    order by r.company_id, r.id, r.step desc nulls last
  ),
  moved as (
    update outbound.contact_messages as m
    set status = f.status, worker = null, lease_until = null,
      platform_message_id = coalesce(m.platform_message_id, f.platform_message_id),
      error_code = case f.status when 'failed' then f.error_code end,
      error_reason = case f.status when 'failed'
        then coalesce(f.reason, 'The platform reported a failure without a reason') end
    from furthest as f where m.company_id = f.company_id and m.id = f.id
    returning m.company_id, m.id, m.status
  )
  select count(*), array_agg(m.company_id) filter (where m.status = 'failed'),
    array_agg(m.id) filter (where m.status = 'failed')
  into v_changed, v_companies, v_failed from moved as m;
  perform outbound.report_failed_messages(v_companies, v_failed);

  select count(*) into v_foreign from json_to_recordset(p_receipts) as r(company_id uuid, id uuid)
  where not exists (
    select from outbound.contact_messages as m where m.company_id = r.company_id and m.id = r.id
  );
  perform outbound.count_foreign_events('unknown_message', v_foreign);
  return v_changed;
end
$$;
revoke execute on function outbound.apply_reply_receipts from public;
