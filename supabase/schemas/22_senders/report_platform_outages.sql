-- Returns each outage of a platform once when it begins and once when it is over, to whichever dispatcher calls first:
-- the names in settings are what was reported.
create function outbound.report_platform_outages()
returns table (channel text, since timestamptz, senders int, next_try_at timestamptz, is_over boolean)
language sql volatile security invoker set search_path = ''
as $$
  with outage as materialized (
    select o.channel, o.since, o.senders, o.next_try_at from outbound.platform_outages() as o
  ),
  begun as (
    insert into outbound.settings (name, value)
    select 'outage:' || outage.channel, to_jsonb(outage.since) from outage
    on conflict on constraint settings_pkey do nothing
    returning name
  ),
  ended as (
    delete from outbound.settings as s
    where s.name in ('outage:whatsapp', 'outage:voice')
      and not exists (select from outage where 'outage:' || outage.channel = s.name)
    returning s.name, s.value
  )
  select outage.channel, outage.since, outage.senders, outage.next_try_at, false
  from begun join outage on begun.name = 'outage:' || outage.channel
  union all
  select substr(ended.name, 8), (ended.value #>> '{}')::timestamptz, 0, null, true from ended
$$;
revoke execute on function outbound.report_platform_outages from public;
