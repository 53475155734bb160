set local lock_timeout = '2s';
alter table outbound.campaigns validate constraint campaigns_sample_check;
