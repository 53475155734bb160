-- Locks and returns the row of an address, an account or a pair of the two. A window that is over begins again.
create function outbound.open_login_window(p_subject text, p_window interval)
returns outbound.login_attempts
language sql security invoker set search_path = ''
as $$
  insert into outbound.login_attempts as a (subject, window_start, attempts)
  values (p_subject, now(), 0)
  on conflict (subject) do update set
    attempts = case when outbound.is_window_over(a.window_start, p_window) then 0 else a.attempts end,
    window_start = case when outbound.is_window_over(a.window_start, p_window) then now() else a.window_start end,
    expires_at = greatest(a.expires_at, now() + interval '1 day')
  returning *
$$;
revoke execute on function outbound.open_login_window from public;

-- Returns the seconds until an account's bucket has an attempt for a pair that has failed p_failures times; 0 when it
-- has one now. The bucket holds p_burst attempts and gains one per p_gap. Its lower half is kept for pairs with fewer
-- than three failures: a stranger at a few addresses cannot empty it, and a user who comes from elsewhere finds an
-- attempt left.
create function outbound.login_wait_s(
  p_full_at timestamptz, p_failures int, p_burst int, p_gap interval
)
returns int
language sql stable security invoker set search_path = ''
as $$
  select case when ready.at <= now() then 0 else outbound.seconds_until(ready.at) end
  from (
    select p_full_at - p_gap * (case when p_failures < 3 then p_burst - 1 else p_burst - p_burst / 2 - 1 end) as at
  ) as ready
$$;
revoke execute on function outbound.login_wait_s from public;

-- Counts an attempt to log in before the password is checked, so that attempts made at once cannot exceed the limits.
-- Only an attempt that may go on is counted. An unknown address (null) has no limit of its own; all unknown addresses
-- are one in p_pair.
-- wait_s: seconds to wait, or 0 when the attempt may go on. reached: the limit that was reached (address, account,
-- pair). Rows are locked in the order address, account, pair, here and in refund_login_attempt.
create function outbound.count_login_attempt(
  p_address text, p_account text, p_pair text, p_per_address int, p_per_pair int, p_window interval,
  p_burst int, p_gap interval, out wait_s int, out reached text
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_address outbound.login_attempts;
  v_account outbound.login_attempts;
  v_pair outbound.login_attempts;
  v_full_at timestamptz;
  v_is_known boolean;
begin
  wait_s := 0;
  -- A user who is known at this address does not wait for others there: a whole office may share one address.
  v_is_known := exists (
    select from outbound.login_attempts as known where known.subject = p_pair and known.known_until >= now()
  );
  if p_address is not null then
    v_address := outbound.open_login_window(p_address, p_window);
    if v_address.attempts >= p_per_address and not v_is_known then
      wait_s := outbound.seconds_until(v_address.window_start + p_window);
      reached := 'address';
      return;
    end if;
  end if;

  v_account := outbound.open_login_window(p_account, p_window);
  v_pair := outbound.open_login_window(p_pair, p_window);
  if v_pair.attempts >= p_per_pair then
    wait_s := outbound.seconds_until(v_pair.window_start + p_window);
    reached := 'pair';
    return;
  end if;

  if not v_is_known then
    v_full_at := greatest(v_account.full_at, now());
    -- Later than an empty bucket would be full: the clock was set back.
    if v_full_at > now() + p_gap * p_burst + interval '1 minute' then
      v_full_at := now();
    end if;
    wait_s := outbound.login_wait_s(v_full_at, v_pair.attempts, p_burst, p_gap);
    if wait_s > 0 then
      reached := 'account';
      return;
    end if;
    update outbound.login_attempts as a set full_at = v_full_at + p_gap where a.subject = p_account;
  end if;
  update outbound.login_attempts as a set attempts = a.attempts + 1 where a.subject in (p_address, p_pair);
end
$$;
revoke execute on function outbound.count_login_attempt from public;
