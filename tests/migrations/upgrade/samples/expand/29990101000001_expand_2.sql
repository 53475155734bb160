set local lock_timeout = '2s';

-- A constraint that only new rows are checked by.
alter table outbound.campaigns add constraint campaigns_sample_check check (name <> 'no name') not valid;
