-- Plans when a key's company is notified that the key ends soon: a week before, then a day before. A key that ends sooner gets
-- the warnings that are left; one that is revoked gets none.
create function outbound.plan_key_warning()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if tg_op = 'INSERT' or new.expires_at is distinct from old.expires_at or new.is_active <> old.is_active then
    new.warn_at := outbound.next_key_warning(case when new.is_active then new.expires_at end);
  end if;
  return new;
end
$$;
revoke execute on function outbound.plan_key_warning from public;

-- Returns when to warn next of a key that ends at p_ends; null where both times are over, or it has no end.
create function outbound.next_key_warning(p_ends timestamptz)
returns timestamptz
language sql stable security invoker set search_path = ''
return case
  when p_ends > now() + interval '7 days' then p_ends - interval '7 days'
  when p_ends > now() + interval '1 day' then p_ends - interval '1 day'
end;
revoke execute on function outbound.next_key_warning from public;
