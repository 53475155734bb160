-- Returns the first response to a request with this idempotency key, if it is less than 24 hours old.
create function outbound.read_idempotent_response(p_key_hash text, p_endpoint text, p_key text)
returns table (request_hash text, answer json)
language sql stable security invoker set search_path = ''
as $$
  select i.request_hash, i.answer
  from outbound.api_keys as k
  join outbound.idempotency_keys as i
    on i.company_id = k.company_id and i.endpoint = p_endpoint and i.key = p_key
  where k.key_hash = p_key_hash and k.is_active and i.created_at > now() - interval '24 hours'
$$;
revoke execute on function outbound.read_idempotent_response from public;
