-- Housekeeping where pg_cron does not do it. For dispatchers, any number of them, as often as they like: deletes at most
-- once an hour, and not while pg_cron is at work. Answers what was deleted, or null.
create function outbound.clean_up_when_due()
returns jsonb
language plpgsql security invoker set search_path = ''
as $$
begin
  if exists (
    select from outbound.settings as s
    where s.name = 'last_tick:pg_cron' and s.updated_at > now() - interval '10 minutes'
  ) then
    return null;
  end if;
  insert into outbound.settings as s (name, value) values ('last_clean_up', to_jsonb(now()))
  on conflict on constraint settings_pkey do update set value = excluded.value, updated_at = now()
    where s.updated_at < now() - interval '1 hour';
  return case when found then outbound.clean_up() end;
end
$$;
revoke execute on function outbound.clean_up_when_due from public;
