set local lock_timeout = '2s';
set check_function_bodies = off;

-- Requests that were made with keys, for their owners to look at: of a busy key a sample. Paths are those of the API
-- document, without ids and queries, so no person is in them.
create table outbound.key_requests (
  company_id uuid not null,
  -- Of the request, as its response names it.
  id uuid not null,
  api_key_id uuid not null,
  method text not null,
  -- As the API document names it.
  path text not null,
  status smallint not null,
  -- Of a refusal.
  code text,
  duration_ms real not null,
  -- How many requests it stands for, itself among them.
  stands_for int not null,
  created_at timestamptz not null,
  constraint key_requests_pkey primary key (company_id, id),
  constraint key_requests_key_fkey foreign key (company_id, api_key_id)
    references outbound.api_keys (company_id, id) on delete cascade
);

create index key_requests_key_idx on outbound.key_requests (company_id, api_key_id, created_at, id);

create index key_requests_created_idx on outbound.key_requests (created_at);

alter table outbound.key_requests set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000);

alter table outbound.key_requests enable row level security;

-- Deletes what limits of requests and repeated requests are recognised by: idempotency keys, and what keys, log-ins and
-- visitors have used; and the requests that keys have made. A step of clean_up.
create or replace function outbound.clean_up_requests(p_limit int)
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_idempotency_keys int;
  v_usage int;
  v_key_requests int;
  v_login_attempts int;
  v_visitor_requests int;
  v_visitor_usage int;
begin
  delete from outbound.idempotency_keys as i where i.ctid = any (array(
    select o.ctid from outbound.idempotency_keys as o where o.created_at < now() - interval '24 hours'
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_idempotency_keys = row_count;

  delete from outbound.usage as u where u.ctid = any (array(
    select o.ctid from outbound.usage as o where o.day < (now() at time zone 'UTC')::date - 35
    order by o.day limit p_limit for update skip locked));
  get diagnostics v_usage = row_count;

  delete from outbound.key_requests as r where r.ctid = any (array(
    select o.ctid from outbound.key_requests as o where o.created_at < now() - interval '7 days'
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_key_requests = row_count;

  delete from outbound.login_attempts as l where l.ctid = any (array(
    select o.ctid from outbound.login_attempts as o where o.expires_at < now()
    order by o.expires_at limit p_limit for update skip locked));
  get diagnostics v_login_attempts = row_count;

  delete from outbound.visitor_requests as r where r.ctid = any (array(
    select o.ctid from outbound.visitor_requests as o where o.window_start < now() - interval '1 day'
    order by o.window_start limit p_limit for update skip locked));
  get diagnostics v_visitor_requests = row_count;

  delete from outbound.visitor_usage as u where u.ctid = any (array(
    select o.ctid from outbound.visitor_usage as o where o.day < (now() at time zone 'UTC')::date - 35
    order by o.day limit p_limit for update skip locked));
  get diagnostics v_visitor_usage = row_count;

  return jsonb_build_object(
    'idempotency_keys', v_idempotency_keys, 'usage', v_usage, 'key_requests', v_key_requests,
    'login_attempts', v_login_attempts, 'visitor_requests', v_visitor_requests, 'visitor_usage', v_visitor_usage
  );
end
$$;

revoke execute on function outbound.clean_up_requests from public;

reset check_function_bodies;
