-- Records that the platform changed a sender's quality or limit, at the platform's time.
create function outbound.keep_sender_history()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  v_at constant timestamptz := case when old.quality is distinct from new.quality then new.quality_at
    else new.messaging_limit_at end;
begin
  insert into outbound.sender_history (company_id, sender_id, at, quality, messaging_limit)
  values (new.company_id, new.id, case when isfinite(v_at) then v_at else now() end, new.quality, new.messaging_limit);
  return null;
end
$$;
revoke execute on function outbound.keep_sender_history from public;
