-- Deletes what of the history is older than history_kept(), and turns hours that are older than history_hours_kept()
-- into days. It waits for no fold, and no fold for it. A step of clean_up.
create function outbound.clean_up_history(p_limit int)
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_days int;
  v_hours int;
  v_rows outbound.history[];
  v_sender_history int;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('outbound.history', 0)) then
    return '{}'::jsonb;
  end if;
  delete from outbound.history as h where h.ctid = any (array(
    select o.ctid from outbound.history as o
    where (date_trunc('day', o.hour at time zone 'UTC') = o.hour at time zone 'UTC') = true
      and o.hour < now() - outbound.history_kept()
    order by o.hour limit p_limit for update skip locked));
  get diagnostics v_days = row_count;

  with taken as materialized (
    delete from outbound.history as h where h.ctid = any (array(
      select o.ctid from outbound.history as o
      where (date_trunc('day', o.hour at time zone 'UTC') = o.hour at time zone 'UTC') = false
        and o.hour < outbound.history_hours_from()
      order by o.hour limit p_limit for update skip locked))
    returning h.*
  )
  select count(*), array_agg(row(t.company_id, date_trunc('day', t.hour, 'UTC'), t.campaign_id, t.template_id,
    t.sender_id, t.channel, t.area, t.reason, t.accepted, t.sent, t.delivered, t.read, t.replied, t.failed, t.skipped,
    t.cancelled, t.priced, t.opted_out)::outbound.history)
  into v_hours, v_rows from taken as t;
  perform outbound.add_to_history(v_rows);

  delete from outbound.sender_history as s where s.ctid = any (array(
    select o.ctid from outbound.sender_history as o where o.at < now() - outbound.history_kept()
    order by o.at limit p_limit for update skip locked));
  get diagnostics v_sender_history = row_count;
  return jsonb_build_object('history', v_days, 'history_hours', v_hours, 'sender_history', v_sender_history);
end
$$;
revoke execute on function outbound.clean_up_history from public;
