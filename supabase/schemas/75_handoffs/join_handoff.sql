-- Records that a person of the company takes over. Returns the room; null when there is no such handoff, or it has
-- ended.
create function outbound.join_handoff(p_company_id uuid, p_id uuid)
returns text
language sql security invoker set search_path = ''
as $$
  update outbound.handoffs as h
  set status = 'joined', expires_at = case h.status when 'joined' then h.expires_at else now() + interval '4 hours' end
  where h.company_id = p_company_id and h.id = p_id and h.status <> 'ended' and h.expires_at > now()
  returning h.room
$$;
revoke execute on function outbound.join_handoff from public;
