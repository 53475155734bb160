-- Leases up to p_limit replies that are due to p_worker for p_lease: each becomes `sending`, its attempt and its fence
-- count up. Replies of stopped senders stay, as do rows that another claim has locked. Reads one small index: nothing
-- but replies that wait is in it.
create function outbound.claim_replies(p_worker text, p_limit int, p_lease interval)
returns table (
  company_id uuid, id uuid, fence int, attempt smallint, number text, user_id text, kind text, text text, content jsonb,
  context_message_id text, sender_id uuid, provider_id text, token_sealed text
)
language plpgsql security invoker set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  return query
  with due as materialized (
    select m.company_id, m.id, s.provider_id, s.token_sealed
    from outbound.contact_messages as m
    join outbound.senders as s on s.company_id = m.company_id and s.id = m.sender_id and s.status = 'active'
    where m.status = 'queued' and m.run_at <= now() and m.expires_at > now()
    order by m.run_at limit p_limit for update of m skip locked
  )
  update outbound.contact_messages as m
  set status = 'sending', attempt = m.attempt + 1, fence = m.fence + 1, worker = p_worker,
    lease_until = clock_timestamp() + p_lease
  from due where m.company_id = due.company_id and m.id = due.id
  returning m.company_id, m.id, m.fence, m.attempt, m.number, m.user_id, m.kind, m.text, m.content,
    m.context_message_id, m.sender_id, due.provider_id, due.token_sealed;
end
$$;
revoke execute on function outbound.claim_replies from public;
