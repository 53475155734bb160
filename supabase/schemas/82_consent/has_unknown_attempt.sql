-- Returns whether an attempt of a notification may have been received, and the platform has not said that it failed.
create function outbound.has_unknown_attempt(p_company_id uuid, p_notification_id uuid)
returns boolean
language sql stable security invoker set search_path = ''
return exists (
  select from outbound.delivery_attempts as a
  where a.company_id = p_company_id and a.notification_id = p_notification_id
    and a.outcome = 'unknown' and a.error_code is null
);
revoke execute on function outbound.has_unknown_attempt from public;
