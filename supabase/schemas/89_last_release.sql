-- Functions that the last release's call, and today's do not: a call that is under way while the migrations are applied
-- still needs them. The next release drops all of these.

-- decide_unconfirmed, which reads the last time without ticks itself.
create function outbound.settle_unconfirmed(
  p_limit int, p_window interval, p_leases_from timestamptz, p_missed_ticks interval, p_awake_since timestamptz,
  out again int, out failed int, out moves jsonb, out requeued_companies uuid[], out requeued uuid[],
  out planned_companies uuid[], out planned_senders uuid[], out silent_accounts jsonb
)
language sql security invoker set search_path = ''
as $$ select * from outbound.decide_unconfirmed(p_limit, p_window, p_leases_from) $$;
revoke execute on function outbound.settle_unconfirmed from public;

-- mark_tick. The last time without ticks was for settle_unconfirmed only.
create function outbound.record_tick(p_by text, out missed_ticks interval, out awake_since timestamptz)
language sql security invoker set search_path = ''
as $$
  select outbound.mark_tick(p_by);
  select null::interval, null::timestamptz;
$$;
revoke execute on function outbound.record_tick from public;

-- campaign_difference of a request and a campaign that have no timing of their own.
create function outbound.campaign_mismatch(p_campaign outbound.campaigns, p_request outbound.campaigns)
returns json
language sql stable security invoker set search_path = ''
as $$ select outbound.campaign_difference(p_campaign, p_request, '{}', '{}') $$;
revoke execute on function outbound.campaign_mismatch from public;
