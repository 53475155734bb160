-- no transaction
-- Pending deliveries of an endpoint, in order.
create index concurrently webhook_deliveries_waiting_idx on outbound.webhook_deliveries (company_id, endpoint_id, run_at, event_id)
  where status = 'pending';
-- The endpoints with new deliveries (claim_deliveries).
create index concurrently webhook_deliveries_fresh_idx on outbound.webhook_deliveries (company_id, endpoint_id)
  where status = 'pending' and not deferred;
