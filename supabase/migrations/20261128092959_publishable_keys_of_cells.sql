set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.publishable_keys drop constraint publishable_keys_key_check;

alter table outbound.publishable_keys add constraint publishable_keys_key_check CHECK ((key ~ '^pk_([1-9][0-9]{0,3}[.])?[A-Za-z0-9_-]{20,100}$'::text));

reset check_function_bodies;
