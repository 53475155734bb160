-- Adds the rate state and the turn of a new sender.
create function outbound.add_sender_state()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.sender_rate_state (company_id, sender_id) values (new.company_id, new.id);
  insert into outbound.sender_schedule (company_id, sender_id, ready_at)
  values (new.company_id, new.id, case new.status when 'active' then '-infinity' else 'infinity' end::timestamptz);
  return null;
end
$$;
revoke execute on function outbound.add_sender_state from public;
