-- Returns the outcomes of requests, at their ord, with accepted instead of a refusal where the request is stored. A
-- caller that lost its connection before the response offers its request again, and the response is the same, even if
-- its limits, sender or template have changed since. Reads only.
create function outbound.outcomes_of_stored(p_requests json, p_companies uuid[], p_outcomes text[])
returns text[]
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return array(
    select case
      when p_outcomes[r.ord] in ('stale', 'recipients', 'rate_limited', 'quota_exceeded', 'budget_exceeded',
        'undecided') and r.is_addition is not true and exists (
          select from outbound.campaigns as g where g.company_id = p_companies[r.ord] and g.id = r.id offset 0
        ) then 'accepted'
      else p_outcomes[r.ord]
    end
    from json_to_recordset(p_requests) as r(ord int, id uuid, is_addition boolean) order by r.ord
  );
end
$$;
revoke execute on function outbound.outcomes_of_stored from public;
