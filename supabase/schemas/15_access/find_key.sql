-- Returns the key with this hash, if it passes now: it is active, not expired, and the hash is that of its text, or of the
-- one before its last rotation while that one passes too.
create function outbound.find_key(p_key_hash text)
returns setof outbound.api_keys
language plpgsql stable rows 1 security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query select * from outbound.api_keys as k
  where k.key_hash = p_key_hash and k.is_active and (k.expires_at > now()) is not false;
  if not found then
    return query select * from outbound.api_keys as k
    where k.old_key_hash = p_key_hash and k.old_expires_at > now() and k.is_active
      and (k.expires_at > now()) is not false;
  end if;
end
$$;
revoke execute on function outbound.find_key from public;
