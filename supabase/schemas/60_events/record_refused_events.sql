-- Records that the webhook refused the signature of a report about these notifications, and returns their accounts.
-- Any client can post anything: a report counts only if it names a notification of ours, whose id only its company and
-- the platform know. So a stranger delays nothing, and a company only its own messages.
create function outbound.record_refused_events(p_companies uuid[], p_ids uuid[])
returns table (company_id uuid, waba_id text)
language plpgsql security invoker set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  insert into outbound.account_signals as a (company_id, waba_id, refused_at, refused_since)
  select distinct s.company_id, s.waba_id, now(), now()
  from unnest(p_companies, p_ids) as named(company_id, id)
  cross join lateral (
    select o.company_id, o.sender_id from outbound.notification_facts as o
    where o.company_id = named.company_id and o.id = named.id
  ) as n
  join outbound.senders as s on s.company_id = n.company_id and s.id = n.sender_id
  where s.waba_id is not null
  order by s.company_id, s.waba_id
  on conflict on constraint account_signals_pkey do update
    set refused_at = excluded.refused_at,
      refused_since = case when a.refused_at > a.event_at then a.refused_since
        else greatest(a.event_at, excluded.refused_since - interval '10 seconds') end
  returning a.company_id, a.waba_id;
end
$$;
revoke execute on function outbound.record_refused_events from public;
