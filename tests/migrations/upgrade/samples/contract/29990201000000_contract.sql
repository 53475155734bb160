set local lock_timeout = '2s';

-- No process calls it any more.
drop function outbound.finish_deliveries;

alter table outbound.notification_facts drop column sample;
