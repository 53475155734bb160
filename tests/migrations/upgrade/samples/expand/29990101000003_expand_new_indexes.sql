-- no transaction
create index concurrently notification_facts_sample_idx on outbound.notification_facts (company_id, sample);
