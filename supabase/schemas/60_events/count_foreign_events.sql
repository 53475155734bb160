-- Counts events about messages of other systems. Call it last: all callers wait here for each other.
create function outbound.count_foreign_events(p_reason text, p_events bigint)
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.foreign_events as f (day, reason, events)
  select (now() at time zone 'UTC')::date, p_reason, p_events where p_events > 0
  on conflict on constraint foreign_events_pkey do update set events = f.events + excluded.events
$$;
revoke execute on function outbound.count_foreign_events from public;
