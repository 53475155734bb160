-- Returns the active senders for which replies wait, due or not, except those that the platform found too fast within
-- the last three seconds. Costs one look-up per sender, however many replies wait.
create function outbound.senders_with_replies()
returns table (company_id uuid, id uuid, platform_id text, token_sealed text)
language plpgsql stable rows 10 security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
#variable_conflict use_column
begin
  return query
  with recursive waiting as (
    (
      select m.company_id, m.sender_id from outbound.contact_messages as m
      where m.status = 'queued' order by m.company_id, m.sender_id limit 1
    )
    union all
    select next.company_id, next.sender_id from waiting as w
    cross join lateral (
      select m.company_id, m.sender_id from outbound.contact_messages as m
      where m.status = 'queued' and (m.company_id, m.sender_id) > (w.company_id, w.sender_id)
      order by m.company_id, m.sender_id limit 1
    ) as next
  )
  select s.company_id, s.id, s.platform_id, s.token_sealed
  from waiting as w
  cross join lateral (
    select s.company_id, s.id, s.platform_id, s.token_sealed from outbound.senders as s
    where s.company_id = w.company_id and s.id = w.sender_id and s.status = 'active' and not exists (
      select from outbound.sender_rate_state as p
      where p.company_id = s.company_id and p.sender_id = s.id
        and p.throttled_at > now() - interval '3 seconds'
    )
    limit 1
  ) as s;
end
$$;
revoke execute on function outbound.senders_with_replies from public;
