set local lock_timeout = '2s';

alter table outbound.media_leftovers add column of_visitor boolean default false not null;
