-- Cleans up where pg_cron does not. Any number of dispatchers may call it as often as they like: it cleans up once per
-- minute, and never while pg_cron is at work. Returns the result of outbound.clean_up, or null when it is not the
-- caller's turn; with `more` the caller goes on with outbound.clean_up itself.
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
    -- Less than the minute that dispatchers wait, or a caller would come a moment too early.
    where s.updated_at < now() - interval '55 seconds';
  return case when found then outbound.clean_up() end;
end
$$;
revoke execute on function outbound.clean_up_when_due from public;
