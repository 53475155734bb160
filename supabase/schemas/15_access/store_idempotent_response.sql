-- Stores the first response to a request with an idempotency key, {endpoint, key, request_hash} or null.
create function outbound.store_idempotent_response(p_company_id uuid, p_idempotency jsonb, p_answer json)
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.idempotency_keys as i (company_id, endpoint, key, request_hash, answer)
  select p_company_id, r.endpoint, r.key, r.request_hash, p_answer
  from jsonb_to_record(p_idempotency) as r(endpoint text, key text, request_hash text)
  where r.key is not null
  on conflict on constraint idempotency_keys_pkey do update
    set request_hash = excluded.request_hash, answer = excluded.answer, created_at = now()
    where i.created_at <= now() - interval '24 hours'
$$;
revoke execute on function outbound.store_idempotent_response from public;
