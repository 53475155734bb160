-- Ends up to p_limit handoffs that have lasted too long, the oldest first. For tick(): those that are locked wait for
-- the next one.
create function outbound.expire_handoffs(p_limit int)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  perform outbound.end_open_handoff(due.company_id, due.id, 'expired')
  from (
    select h.company_id, h.id from outbound.handoffs as h
    where h.status <> 'ended' and h.expires_at <= now()
    order by h.expires_at limit p_limit for no key update skip locked
  ) as due;
end
$$;
revoke execute on function outbound.expire_handoffs from public;
