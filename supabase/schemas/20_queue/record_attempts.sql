-- Records attempts of p_worker in delivery_attempts: [{company_id, id (of the notification), attempt, fence,
-- started_at, outcome, http_status, error_code, reason, platform_message_id}, …]. What is known of an attempt already,
-- because its lease ran out, is replaced. The caller has locked the notifications.
create function outbound.record_attempts(p_worker text, p_attempts jsonb)
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.delivery_attempts as a (
    company_id, notification_id, attempt, fence, worker, started_at, outcome, http_status, error_code, reason,
    platform_message_id
  )
  select distinct on (r.id, r.fence) r.company_id, r.id, r.attempt, r.fence, p_worker, r.started_at, r.outcome,
    r.http_status, r.error_code, r.reason, r.platform_message_id
  from jsonb_to_recordset(p_attempts) as r(
    company_id uuid, id uuid, attempt smallint, fence int, started_at timestamptz, outcome text, http_status int,
    error_code text, reason text, platform_message_id text
  )
  order by r.id, r.fence
  on conflict on constraint delivery_attempts_pkey do update
    set worker = excluded.worker, outcome = excluded.outcome, http_status = excluded.http_status,
      error_code = excluded.error_code, reason = excluded.reason, finished_at = now(),
      platform_message_id = coalesce(excluded.platform_message_id, a.platform_message_id)
$$;
revoke execute on function outbound.record_attempts from public;
