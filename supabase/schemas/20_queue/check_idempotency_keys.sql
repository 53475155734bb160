-- Returns what idempotency keys say about the requests of a batch (accept_notifications describes both), at their ord:
-- replayed, with the first response, key_reused, undecided for a key that an earlier request of the batch has too, or
-- null. p_hashes, p_keys: those of check_requests. Reads only; called only if a request has a key.
create function outbound.check_idempotency_keys(
  p_hashes text[], p_keys outbound.api_keys[], p_sources json, p_requests json,
  out outcomes text[], out first_responses json[]
)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  select array_agg(k.outcome order by k.ord), array_agg(k.answer order by k.ord) into outcomes, first_responses
  from (
    select r.ord, case when f.request_hash = r.request_hash then f.answer end as answer,
      case
        when f.request_hash = r.request_hash then 'replayed'
        when f.request_hash is not null then 'key_reused'
        when r.idempotency_key is not null
          and row_number() over (partition by s.key_hash, r.endpoint, r.idempotency_key order by r.ord) > 1
          then 'undecided'
      end as outcome
    from json_to_recordset(p_requests) as r(
      ord int, source int, endpoint text, idempotency_key text, request_hash text
    )
    join json_to_recordset(p_sources) as s(source int, key_hash text) on s.source = r.source
    -- Lateral: one look-up per request. As a join it becomes, without statistics, a scan of everything stored.
    left join lateral (
      select i.request_hash, i.answer from outbound.idempotency_keys as i
      where i.company_id = (p_keys[array_position(p_hashes, s.key_hash)]).company_id and i.endpoint = r.endpoint and i.key = r.idempotency_key
        and i.created_at > now() - interval '24 hours' limit 1
    ) as f on true
  ) as k;
end
$$;
revoke execute on function outbound.check_idempotency_keys from public;
