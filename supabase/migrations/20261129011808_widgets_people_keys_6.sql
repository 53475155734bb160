set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.media_leftovers add column of_visitor boolean default false not null;

reset check_function_bodies;
