set local lock_timeout = '2s';
set check_function_bodies = off;

-- Kept for calls of the first release; the second one calls none of these three.
drop function outbound.campaign_mismatch(p_campaign outbound.campaigns, p_request outbound.campaigns);
drop function outbound.record_tick(p_by text, OUT missed_ticks interval, OUT awake_since timestamp with time zone);
drop function outbound.settle_unconfirmed(p_limit integer, p_window interval, p_leases_from timestamp with time zone, p_missed_ticks interval, p_awake_since timestamp with time zone, OUT again integer, OUT failed integer, OUT moves jsonb, OUT requeued_companies uuid[], OUT requeued uuid[], OUT planned_companies uuid[], OUT planned_senders uuid[], OUT silent_accounts jsonb);

reset check_function_bodies;
