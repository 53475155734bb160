-- Returns the reason for which a notification with this code waits: a rule of ours names itself, and every other code is
-- the platform's.
create function outbound.wait_reason(p_error_code text)
returns text
language sql immutable security invoker set search_path = ''
as $$
  select case
    when p_error_code in ('sending_hours', 'marketing_cooldown', 'call_gap', 'rules_unreadable') then p_error_code
    else 'platform_refused'
  end
$$;
revoke execute on function outbound.wait_reason from public;
-- Returns what a notification that does not wait any more keeps of its code or its reason: the platform's words about its
-- last attempt, and nothing of a rule of ours.
create function outbound.lasting_text(p_error_code text, p_text text)
returns text
language sql immutable security invoker set search_path = ''
as $$ select case when outbound.wait_reason(p_error_code) = 'platform_refused' then p_text end $$;
revoke execute on function outbound.lasting_text from public;
