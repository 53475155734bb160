-- Adds a message and reports it to the company's webhook. The conversation's row is the lock: numbers have no gaps,
-- and a repeated client_message_id finds the first message. outcome: posted, repeated, closed, quota (with the cap
-- that the visitor reached, as use_visitor_quota returns it), or no row when there is no such conversation. A
-- visitor's message, and a machine's to a visitor, counts with its bytes and 256 more for its row. content: what the
-- message has beside its text. Who writes has read all before; a machine reads nothing for the members. A reply of a
-- person ends those of a machine.
create function outbound.add_message(
  p_company_id uuid, p_conversation_id uuid, p_author text, p_text text, p_client_message_id uuid, p_content jsonb
)
returns table (outcome text, message jsonb, cap text, quota int, used int)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_open record;
  v_conversation outbound.conversations;
  v_message outbound.conversation_messages;
  v_is_machine constant boolean := coalesce(p_content #> '{sender,is_machine}' = 'true', false);
  v_by_member constant boolean := p_author = 'operator' and not v_is_machine;
  v_bytes constant int := case when p_author = 'visitor' or v_is_machine then octet_length(p_text) + octet_length(p_content::text) + 256 else 0 end;
  v_left int;
  v_reached record;
begin
  select * into v_open from outbound.open_for_message(p_company_id, p_conversation_id, p_client_message_id);
  if not found then
    return;
  elsif v_open.outcome is not null then
    return query select v_open.outcome, v_open.message, null::text, null::int, null::int;
    return;
  end if;
  v_conversation := v_open.conversation;
  v_left := v_conversation.stored_bytes_left - v_bytes;
  if v_left < 0 then
    select * into v_reached from outbound.use_visitor_quota(
      p_company_id, v_conversation.widget_id, null, null, null, outbound.stored_bytes_per_piece());
    if v_reached.cap is not null then
      return query select 'quota', null::jsonb, v_reached.cap, v_reached.quota, v_reached.used;
      return;
    end if;
    v_left := v_left + outbound.stored_bytes_per_piece();
  end if;
  insert into outbound.conversation_messages
    (company_id, conversation_id, sequence, author, text, client_message_id, content)
  values
    (p_company_id, p_conversation_id, v_conversation.last_sequence + 1, p_author, p_text, p_client_message_id, p_content)
  returning * into v_message;
  update outbound.conversations as c
  set last_sequence = v_message.sequence, last_author = p_author, last_message_at = v_message.created_at,
    stored_bytes_left = v_left,
    visitor_typing_until = case when p_author = 'visitor' then null else c.visitor_typing_until end,
    operator_typing_until = case when p_author = 'operator' then null else c.operator_typing_until end,
    visitor_read = case when p_author = 'visitor' then v_message.sequence else c.visitor_read end,
    operator_read = case when v_by_member then v_message.sequence else c.operator_read end,
    follow_up_at = case
      when p_author = 'visitor' then null
      when v_by_member then coalesce(c.follow_up_at, outbound.follow_up_due(c.company_id, c.widget_id))
      else c.follow_up_at
    end,
    assistant = case when v_by_member then 'silent' else c.assistant end
  where c.company_id = p_company_id and c.id = p_conversation_id;
  perform outbound.report_message(v_conversation, v_message);
  return query select 'posted', outbound.describe_message(v_message), null::text, null::int, null::int;
end
$$;
revoke execute on function outbound.add_message from public;
