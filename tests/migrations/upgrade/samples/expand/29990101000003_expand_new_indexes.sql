-- no transaction
create index concurrently notifications_sample_idx on outbound.notifications (company_id, sample);
