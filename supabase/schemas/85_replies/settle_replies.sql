-- Does what time alone brings about for replies:
--   sending → unconfirmed, when the dispatcher's lease ran out: it may have sent the reply or not;
--   unconfirmed → failed (outcome_unknown), when the platform reported nothing in time: a text is never sent twice;
--   queued → failed (expired), when the platform's window has closed.
-- Returns how many changed. Reads two small indexes of what waits.
create function outbound.settle_replies(p_window interval, p_limit int default 1000)
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_rescued int;
  v_companies uuid[];
  v_failed uuid[];
  v_late_companies uuid[];
  v_late uuid[];
begin
  with due as (
    select m.company_id, m.id, m.status from outbound.contact_messages as m
    where m.status in ('sending', 'unconfirmed') and m.lease_until <= now()
    order by m.lease_until limit p_limit for update skip locked
  ),
  settled as (
    update outbound.contact_messages as m
    set status = case due.status when 'sending' then 'unconfirmed' else 'failed' end,
      lease_until = case due.status when 'sending' then now() + p_window end,
      worker = null,
      error_code = case due.status when 'unconfirmed' then 'outcome_unknown' end,
      error_reason = case due.status when 'unconfirmed'
        then 'The platform never said whether it took the message; it was not sent again' end
    from due where m.company_id = due.company_id and m.id = due.id
    returning m.company_id, m.id, m.status
  )
  select count(*) filter (where s.status = 'unconfirmed'), array_agg(s.company_id) filter (where s.status = 'failed'),
    array_agg(s.id) filter (where s.status = 'failed')
  into v_rescued, v_companies, v_failed from settled as s;

  with late as (
    select m.company_id, m.id from outbound.contact_messages as m
    where m.status = 'queued' and m.expires_at <= now()
    order by m.expires_at limit p_limit for update skip locked
  ),
  expired as (
    update outbound.contact_messages as m
    set status = 'failed', error_code = 'expired',
      error_reason = 'Not sent within 24 hours of the person''s last message' || coalesce(': ' || m.error_reason, '')
    from late where m.company_id = late.company_id and m.id = late.id
    returning m.company_id, m.id
  )
  select array_agg(e.company_id), array_agg(e.id) into v_late_companies, v_late from expired as e;
  perform outbound.report_failed_messages(v_companies || v_late_companies, v_failed || v_late);
  return v_rescued + coalesce(cardinality(v_failed || v_late), 0);
end
$$;
revoke execute on function outbound.settle_replies from public;
