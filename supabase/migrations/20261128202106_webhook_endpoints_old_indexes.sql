-- no transaction
drop index concurrently if exists outbound.webhook_deliveries_new_idx;
drop index concurrently if exists outbound.webhook_deliveries_pending_idx;
