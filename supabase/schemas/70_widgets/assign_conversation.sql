-- Gives a conversation of the inbox to p_member, or takes it from its member (null), with a row in the audit if that
-- changes anything. p_kind: chat or whatsapp. Returns assigned, unchanged, not_a_member, or null when there is no such conversation.
create function outbound.assign_conversation(
  p_company_id uuid, p_kind text, p_id uuid, p_member uuid, p_actor text, p_request_id text
)
returns text
language plpgsql security invoker set search_path = ''
as $$
declare
  v_before uuid;
begin
  -- The member stays one until this has committed.
  perform from outbound.company_members as m
  where m.company_id = p_company_id and m.user_id = p_member for key share;
  if not found and p_member is not null then
    return 'not_a_member';
  end if;
  if p_kind = 'chat' then
    select c.assigned_to into v_before from outbound.conversations as c
    where c.company_id = p_company_id and c.id = p_id for no key update;
  else
    select t.assigned_to into v_before from outbound.contact_threads as t
    where t.company_id = p_company_id and t.id = p_id for no key update;
  end if;
  if not found then
    return null;
  elsif v_before is not distinct from p_member then
    return 'unchanged';
  end if;
  update outbound.conversations as c set assigned_to = p_member
  where p_kind = 'chat' and c.company_id = p_company_id and c.id = p_id;
  update outbound.contact_threads as t set assigned_to = p_member
  where p_kind = 'whatsapp' and t.company_id = p_company_id and t.id = p_id;
  perform outbound.write_audit(p_company_id, p_actor, 'conversation.assigned', p_id::text,
    jsonb_build_object('assigned_to', v_before), jsonb_build_object('assigned_to', p_member), p_request_id);
  return 'assigned';
end
$$;
revoke execute on function outbound.assign_conversation from public;
