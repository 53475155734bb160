-- Returns the text search configuration of that name; raises for one that pg_ts_config does not have. Generated
-- columns need an immutable function, and it is as immutable as to_tsvector: a configuration changes only if an
-- operator replaces it.
create function outbound.text_search_config(p_name text)
returns regconfig
language sql immutable strict security invoker set search_path = ''
return p_name::regconfig;
revoke execute on function outbound.text_search_config from public;
