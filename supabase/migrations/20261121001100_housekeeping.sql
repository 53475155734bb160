-- What keeps the database small and in step without anybody asking.

-- Deletes what nobody will ask for any more, at most p_limit rows of each kind a call. Campaigns and
-- notifications are the company's history and stay.
create function outbound.clean_up(p_limit int default 50000)
returns jsonb
language plpgsql security invoker set search_path = ''
as $$
declare
  v_keys int;
  v_usage int;
  v_logins int;
  v_events int;
  v_attempts int;
begin
  delete from outbound.idempotency_keys as i where i.ctid = any (array(
    select o.ctid from outbound.idempotency_keys as o
    where o.created_at < now() - interval '24 hours' limit p_limit));
  get diagnostics v_keys = row_count;
  delete from outbound.usage as u where u.ctid = any (array(
    select o.ctid from outbound.usage as o where o.day < (now() at time zone 'UTC')::date - 35 limit p_limit));
  get diagnostics v_usage = row_count;
  delete from outbound.login_attempts as l where l.window_start < now() - interval '1 day';
  get diagnostics v_logins = row_count;
  -- The platform repeats an event for up to seven days; until then its row recognises the repetition.
  delete from outbound.provider_events as e where e.ctid = any (array(
    select o.ctid from outbound.provider_events as o where o.applied_at < now() - interval '8 days' limit p_limit));
  get diagnostics v_events = row_count;
  delete from outbound.delivery_attempts as a where a.ctid = any (array(
    select o.ctid from outbound.delivery_attempts as o
    where o.finished_at < now() - interval '90 days' limit p_limit));
  get diagnostics v_attempts = row_count;
  return jsonb_build_object('idempotency_keys', v_keys, 'usage', v_usage, 'login_attempts', v_logins,
    'provider_events', v_events, 'delivery_attempts', v_attempts);
end
$$;
revoke execute on function outbound.clean_up from public;
create index provider_events_applied_idx on outbound.provider_events (applied_at) where applied_at is not null;
create index delivery_attempts_finished_idx on outbound.delivery_attempts using brin (finished_at);

-- Chores that any of several processes may do, but only one at a time and only so often. Returns whether the
-- caller is the one: it then has p_every to itself.
create function outbound.take_chore(p_name text, p_every interval)
returns boolean
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.settings as s (name, value) values ('chore:' || p_name, to_jsonb(now()))
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now()
    where s.updated_at <= now() - p_every;
  return found;
end
$$;
revoke execute on function outbound.take_chore from public;
