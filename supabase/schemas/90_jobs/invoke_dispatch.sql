-- Sends a request to the dispatch function when it has work that no step of pg_cron does: a message, a reply or an event is
-- due, a chore of open_chores waits, the webhook has to be probed before a message's window ends, or no dispatcher has
-- kept time for a minute, because some of its work is due by the clock (syncs, removed files, the archive, calls to check).
-- Needs pg_net and an address: Vault's secrets outbound_dispatch_url and outbound_dispatch_secret, or the settings row
-- dispatch {"url": …, "secret": …}. Returns whether a request was queued. pg_net sends it after the commit.
create function outbound.invoke_dispatch()
returns boolean
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_url text;
  v_secret text;
begin
  if to_regnamespace('net') is null or not outbound.is_active_cell() or not (
    exists (
      select from outbound.sender_schedule as t
      where t.due_at <= now() and t.due_at >= outbound.due_from('senders')
    )
    or exists (
      select 1 from outbound.reply_schedule as s
      where s.due_at <= now() and s.due_at >= outbound.due_from('replies') and exists (
        select from outbound.senders as o
        where o.company_id = s.company_id and o.id = s.sender_id and outbound.may_reply(o)
      )
    )
    -- By its order: any other index on what is queued would lead to all of it.
    or coalesce((
      select m.expires_at from outbound.contact_messages as m where m.status = 'queued' order by m.expires_at limit 1
    ) <= now(), false)
    or exists (
      select 1 from outbound.contact_messages as m
      where m.status in ('sending', 'unconfirmed') and m.lease_until <= now() limit 1
    )
    or exists (
      select 1 from outbound.queue as n
      where n.status = 'unconfirmed' and not n.voice and n.lease_until >= outbound.leases_from()
        and n.lease_until <= now() + interval '30 seconds' limit 1
    )
    or exists (
      select 1
      from (
        select coalesce(array_agg(d.company_id), '{}') as companies, coalesce(array_agg(d.endpoint_id), '{}') as endpoints
        from outbound.due_endpoints(64, 64) as d
      ) as due, outbound.serve_endpoints(due.companies, due.endpoints)
    )
    or outbound.open_chores('pg_cron')
      && array['received_media', 'pushes', 'agent_replies', 'stopping', 'resends', 'uploads', 'people']
    or not exists (
      select from outbound.settings as s
      where s.name = 'last_tick:dispatcher' and s.updated_at > now() - interval '1 minute'
    )
  ) then
    return false;
  end if;
  if to_regclass('vault.decrypted_secrets') is not null then
    execute format('select max(decrypted_secret) filter (where name = $1), '
      'max(decrypted_secret) filter (where name = $2) from %I.decrypted_secrets', 'vault')
      into v_url, v_secret using 'outbound_dispatch_url', 'outbound_dispatch_secret';
  end if;
  if v_url is null then
    select s.value ->> 'url', s.value ->> 'secret' into v_url, v_secret
    from outbound.settings as s where s.name = 'dispatch';
  end if;
  if v_url is null or v_secret is null then
    return false;
  end if;
  execute format('select %I.http_post(url := $1, body := $3, headers := $2, timeout_milliseconds := 5000)', 'net')
    using v_url, jsonb_build_object('Content-Type', 'application/json', 'Authorization', 'Bearer ' || v_secret),
      '{}'::jsonb;
  return true;
end
$$;
revoke execute on function outbound.invoke_dispatch from public;
