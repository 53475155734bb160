-- Returns the first response to a request with this idempotency key, if it is less than 24 hours old. A key that is
-- limited to senders finds those of their campaigns.
create function outbound.read_idempotent_response(p_key_hash text, p_endpoint text, p_key text)
returns table (request_hash text, answer json)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_key outbound.api_keys;
begin
  select * into v_key from outbound.find_key(p_key_hash);
  return query select i.request_hash, i.answer from outbound.idempotency_keys as i
  where i.company_id = v_key.company_id and i.endpoint = p_endpoint and i.key = p_key
    and i.created_at > now() - interval '24 hours'
    and (v_key.sender_ids is null or exists (
      select from outbound.campaigns as g
      where g.company_id = i.company_id and g.id = (i.answer ->> 'inquiry_set_id')::uuid
        and g.sender_id = any (v_key.sender_ids) offset 0
    ));
end
$$;
revoke execute on function outbound.read_idempotent_response from public;
