-- Moves the times before which no row of a schedule is due (due_from) on, in steps of ten seconds, because each step is
-- a version of a row that an old snapshot keeps too. p_from_first: reads the schedules from their beginning, and so
-- finds a time that was set in a transaction which took longer than ten seconds.
create function outbound.move_due_from(p_from_first boolean)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_step constant interval := interval '10 seconds';
  v_senders constant timestamptz := case when p_from_first then '-infinity' else outbound.due_from('senders') end;
  v_replies constant timestamptz := case when p_from_first then '-infinity' else outbound.due_from('replies') end;
  v_webhooks constant timestamptz := case when p_from_first then '-infinity' else outbound.due_from('webhooks') end;
  v_failing constant timestamptz := case when p_from_first then '-infinity'
    else outbound.due_from('failing_webhooks') end;
  v_history constant timestamptz := case when p_from_first then '-infinity' else outbound.due_from('history') end;
  v_media constant timestamptz := case when p_from_first then '-infinity' else outbound.due_from('received_media') end;
begin
  insert into outbound.settings as s (name, value)
  select 'due_from:' || f.schedule, to_jsonb(least(f.due_at, now() - v_step)) from (values
    ('failing_webhooks', (
      select w.due_at from outbound.webhook_schedule as w
      where w.is_failing and w.due_at >= v_failing order by w.due_at limit 1
    )),
    ('history', (
      select c.written_at from outbound.history_changes as c
      where c.written_at >= v_history order by c.written_at limit 1
    )),
    ('received_media', (
      select m.due_at from outbound.received_media_schedule as m where m.due_at >= v_media order by m.due_at limit 1
    )),
    ('replies', (
      select r.due_at from outbound.reply_schedule as r where r.due_at >= v_replies order by r.due_at limit 1
    )),
    ('senders', (
      select t.due_at from outbound.sender_schedule as t where t.due_at >= v_senders order by t.due_at limit 1
    )),
    ('webhooks', (
      select w.due_at from outbound.webhook_schedule as w
      where not w.is_failing and w.due_at >= v_webhooks order by w.due_at limit 1
    ))
  ) as f(schedule, due_at)
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now()
    where (excluded.value #>> '{}')::timestamptz < (s.value #>> '{}')::timestamptz
      or (excluded.value #>> '{}')::timestamptz >= (s.value #>> '{}')::timestamptz + v_step;
end
$$;
revoke execute on function outbound.move_due_from from public;
