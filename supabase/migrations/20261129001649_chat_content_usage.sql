set local lock_timeout = '2s';

alter table outbound.media_usage add column visitor_bytes bigint default 0 not null;
