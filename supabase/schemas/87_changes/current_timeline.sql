-- Names the history that transaction numbers count in: this database, since the server started, crashed or became the
-- primary. After each of these, and after a restore, a number may be given a second time.
--
-- Every role may read all this. The server discards its statistics when it recovers from a crash; the tables of a restored
-- schema are new ones.
create function outbound.current_timeline()
returns text
language sql stable security invoker set search_path = ''
as $$
  select substr(md5(concat_ws(' ', d.oid, 'outbound.campaigns'::regclass::oid,
    extract(epoch from pg_postmaster_start_time()), extract(epoch from pg_stat_get_bgwriter_stat_reset_time()))), 1, 16)
  from pg_catalog.pg_database as d where d.datname = current_database()
$$;
revoke execute on function outbound.current_timeline from public;
