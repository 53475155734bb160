-- Queues a notification about a conversation for the devices of a member, or where that is null of all who may reply. One
-- that still waits for the device stands for this one too, unless it ends soon.
create function outbound.notify_members(p_company_id uuid, p_kind text, p_conversation_id uuid, p_member uuid)
returns void
language sql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  insert into outbound.push_notices (company_id, user_id, subscription_id, conversation_id, kind)
  select s.company_id, s.user_id, s.id, p_conversation_id, p_kind from outbound.push_subscriptions as s
  cross join lateral (
    select from outbound.memberships as m
    where m.company_id = s.company_id and m.user_id = s.user_id and m.role <> 'viewer' limit 1
  ) as m
  where s.company_id = p_company_id and s.user_id = coalesce(p_member, s.user_id)
    and not exists (
      select from outbound.push_notices as n
      where n.company_id = s.company_id and n.user_id = s.user_id and n.subscription_id = s.id
        and n.conversation_id = p_conversation_id and n.worker is null and n.expires_at > now() + interval '5 minutes'
    )
  order by s.user_id, s.id
$$;
revoke execute on function outbound.notify_members from public;
