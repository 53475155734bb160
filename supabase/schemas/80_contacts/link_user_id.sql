-- Records that a user id belonged to a number at p_at, or that we have seen it. The latest link by time counts. What is
-- known under one address of a person is then known under all of them.
create function outbound.link_user_id(
  p_company_id uuid, p_user_id text, p_number text, p_username text, p_at timestamptz
)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_was record;
begin
  select u.number, u.username, u.linked_at into v_was from outbound.user_ids as u
  where u.company_id = p_company_id and u.user_id = p_user_id;
  if found and (p_number is null or v_was.number = p_number or v_was.linked_at > p_at)
    and (p_username is null or v_was.username = p_username) then
    return;
  end if;
  insert into outbound.user_ids as u (company_id, user_id, number, username, linked_at)
  values (
    p_company_id, p_user_id, p_number, p_username, case when p_number is null then '-infinity' else p_at end
  )
  on conflict on constraint user_ids_pkey do update
    set number = case when u.linked_at > excluded.linked_at then u.number else coalesce(excluded.number, u.number) end,
      username = coalesce(excluded.username, u.username), seen_at = now(),
      linked_at = greatest(u.linked_at, excluded.linked_at);
  if p_number is not null and v_was.number is distinct from p_number then
    perform outbound.share_between_addresses(p_company_id, outbound.addresses_of(p_company_id, p_number, p_user_id));
  end if;
end
$$;
revoke execute on function outbound.link_user_id from public;
