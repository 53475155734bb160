-- Begins a probe of the webhook while messages wait for the platform's report; otherwise once per hour, to check
-- whether probes come back here at all, or once per minute until they do. Not if one was begun less than p_every ago,
-- by any dispatcher. Returns the nonce that the probe has to carry, or null.
create function outbound.begin_webhook_probe(p_every interval)
returns uuid
-- Without statistics all messages ever sent would be read for the few that are unconfirmed.
language sql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  update outbound.webhook_probe as w set nonce = gen_random_uuid(), begun_at = clock_timestamp()
  where w.begun_at <= clock_timestamp() - p_every
    and (
      w.begun_at <= now() - case when w.failed_at > w.returned_at then interval '1 minute' else interval '1 hour' end
      or exists (
        select from outbound.queue as n
        where n.status = 'unconfirmed' and not n.voice and n.lease_until >= outbound.leases_from()
      )
    )
  returning w.nonce
$$;
revoke execute on function outbound.begin_webhook_probe from public;

-- Records that the probe with this nonce reached the webhook.
create function outbound.confirm_webhook_probe(p_nonce uuid)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.webhook_probe as w
  set returned_at = w.begun_at,
    recovered_at = case when w.failed_at > w.returned_at then w.begun_at else w.recovered_at end
  where w.nonce = p_nonce
$$;
revoke execute on function outbound.confirm_webhook_probe from public;

-- Records the end of a dispatcher's probe. Returns whether it came back; null when another was begun since.
create function outbound.end_webhook_probe(p_nonce uuid)
returns boolean
language sql security invoker set search_path = ''
as $$
  with failed as (
    update outbound.webhook_probe as w
    set failed_at = w.begun_at,
      failing_since = case when w.failed_at > w.returned_at then w.failing_since
        else greatest(w.returned_at, w.begun_at - interval '10 seconds') end
    where w.nonce = p_nonce and w.returned_at < w.begun_at
  )
  select w.returned_at = w.begun_at from outbound.webhook_probe as w where w.nonce = p_nonce
$$;
revoke execute on function outbound.end_webhook_probe from public;
