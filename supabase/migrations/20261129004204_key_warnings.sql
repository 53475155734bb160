set local lock_timeout = '2s';
set check_function_bodies = off;

-- Plans when a key's company is notified that the key ends soon: a week before, then a day before. A key that ends sooner gets
-- the warnings that are left; one that is revoked gets none.
create or replace function outbound.plan_key_warning()
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
create or replace function outbound.next_key_warning(p_ends timestamptz)
returns timestamptz
language sql stable security invoker set search_path = ''
return case
  when p_ends > now() + interval '7 days' then p_ends - interval '7 days'
  when p_ends > now() + interval '1 day' then p_ends - interval '1 day'
end;

revoke execute on function outbound.next_key_warning from public;

alter table outbound.api_keys add column warn_at timestamp with time zone;

create index api_keys_warn_idx on outbound.api_keys (warn_at) where warn_at is not null;

update outbound.api_keys as k set warn_at = outbound.next_key_warning(k.expires_at)
where k.is_active and k.expires_at > now();

create or replace trigger api_keys_plan_warning before insert or update of expires_at, is_active on outbound.api_keys
  for each row execute function outbound.plan_key_warning();

reset check_function_bodies;
