-- Takes back an attempt that was no failure: the password was not checked (p_known_for is null), or it was right. The
-- user is then known at this address for p_known_for, and the pair starts from zero.
create function outbound.refund_login_attempt(
  p_address text, p_account text, p_pair text, p_gap interval, p_known_for interval
)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  update outbound.login_attempts as a set attempts = greatest(a.attempts - 1, 0) where a.subject = p_address;
  update outbound.login_attempts as a set full_at = a.full_at - p_gap
  where a.subject = p_account and not exists (
    select from outbound.login_attempts as pair where pair.subject = p_pair and pair.known_until >= now()
  );
  update outbound.login_attempts as a
  set attempts = case when p_known_for is null then greatest(a.attempts - 1, 0) else 0 end,
    known_until = coalesce(now() + p_known_for, a.known_until),
    expires_at = greatest(a.expires_at, now() + p_known_for)
  where a.subject = p_pair;
end
$$;
revoke execute on function outbound.refund_login_attempt from public;
