-- Stores the responses to the requests of a batch that have an idempotency key and were stored (accept_notifications
-- describes requests; p_stored has their ords, p_companies an element for each request, at its ord). Called only if a
-- request has a key.
create function outbound.store_first_responses(p_requests json, p_companies uuid[], p_stored int[])
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.idempotency_keys as i (company_id, endpoint, key, request_hash, answer)
  select p_companies[r.ord], r.endpoint, r.idempotency_key, r.request_hash, r.answer::json
  from json_to_recordset(p_requests) as r(
    ord int, endpoint text, idempotency_key text, request_hash text, answer text
  )
  where r.idempotency_key is not null and r.ord = any (p_stored)
  -- Only a key that is older than a day gets here; a younger one was replayed.
  on conflict on constraint idempotency_keys_pkey do update
    set request_hash = excluded.request_hash, answer = excluded.answer, created_at = now();
end
$$;
revoke execute on function outbound.store_first_responses from public;
