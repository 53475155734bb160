-- Closes campaigns that more requests were expected for, after an hour without any: at most p_limit, the longest open
-- first. Those of which everything was sent complete. Passes by campaigns that are locked elsewhere.
create function outbound.close_campaigns(p_limit int)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  -- Mostly there are none, and an update of none calls its trigger too.
  if not exists (select from outbound.campaigns as g where g.open_until <= now()) then
    return;
  end if;
  with over as (
    select g.company_id, g.id from outbound.campaigns as g
    where g.open_until <= now() order by g.open_until limit p_limit for no key update skip locked
  )
  update outbound.campaigns as g
  set open_until = null, completed_at = case when g.pending + g.processing = 0 then now() end
  from over where g.company_id = over.company_id and g.id = over.id;
end
$$;
revoke execute on function outbound.close_campaigns from public;

-- Returns until when a campaign stays open whose last request says that more will follow: an hour, in whole minutes,
-- so that a campaign of many requests enters its index once per minute and not with each of them.
create function outbound.open_until()
returns timestamptz
language sql stable security invoker set search_path = ''
return date_trunc('minute', now()) + interval '61 minutes';
revoke execute on function outbound.open_until from public;
