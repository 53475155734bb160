-- Records that the platform reported something about these accounts, ten times per second for each account at most.
-- Reads the rows before locking them, so that the webhook's processes do not wait for each other.
create function outbound.record_account_events(p_waba_ids text[])
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.account_signals as a (company_id, waba_id, event_at)
  select distinct s.company_id, s.waba_id, now()
  from outbound.senders as s
  left join outbound.account_signals as k on k.company_id = s.company_id and k.waba_id = s.waba_id
  where s.waba_id = any (p_waba_ids)
    and (k.event_at is null or k.event_at < now() - interval '100 milliseconds' or k.event_at <= k.refused_at)
  order by s.company_id, s.waba_id
  on conflict on constraint account_signals_pkey do update
    set event_at = greatest(a.event_at, excluded.event_at),
      accepted_at = case when a.refused_at > a.event_at then excluded.event_at else a.accepted_at end;
end
$$;
revoke execute on function outbound.record_account_events from public;
