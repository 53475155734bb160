-- Puts off notifications that a claim has locked and that may not leave now. p_codes: why a rule about the recipient
-- keeps it from leaving for good, as error_code of a skipped notification; where it is null, p_times says when the
-- platform ends sparing the recipient, and the notification waits until then, with as long to live as before. The
-- caller moves the counters. A step of claim_notifications.
create function outbound.put_off_claimed(p_companies uuid[], p_ids uuid[], p_codes text[], p_times timestamptz[])
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per message.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  update outbound.queue as q
  set run_at = j.until, expires_at = q.expires_at + (j.until - clock_timestamp()),
    error_code = 'marketing_cooldown', error_reason = 'The platform spares the recipient more marketing until then'
  from unnest(p_companies, p_ids, p_codes, p_times) as j(company_id, id, code, until)
  where j.code is null and q.company_id = j.company_id and q.id = j.id;

  with gone as (
    delete from outbound.queue as q using unnest(p_companies, p_ids, p_codes) as j(company_id, id, code)
    where j.code is not null and q.company_id = j.company_id and q.id = j.id
    returning q.company_id, q.id, q.attempt, q.fence, q.claimed_at, j.code
  )
  update outbound.notification_facts as f
  set status = 'skipped', attempt = gone.attempt, fence = gone.fence, claimed_at = gone.claimed_at,
    skipped_at = clock_timestamp(), error_code = gone.code, error_reason = outbound.skip_reason(gone.code)
  from gone where f.company_id = gone.company_id and f.id = gone.id;
end
$$;
revoke execute on function outbound.put_off_claimed from public;
