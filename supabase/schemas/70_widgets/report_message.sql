-- Writes conversation.message, with what the message has beside its text, and before the first one of a conversation
-- conversation.started. A conversation without a message is not reported. A visitor's message notifies the member who
-- has the conversation; where none has, the first one that waits notifies all. One that a machine replies to notifies no
-- member.
create function outbound.report_message(
  p_conversation outbound.conversations, p_message outbound.conversation_messages
)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  if p_message.sequence = 1 then
    perform outbound.write_event(p_message.company_id, 'conversation.started', p_message.created_at,
      json_build_object(
        'company_id', p_message.company_id, 'conversation_id', p_message.conversation_id,
        'widget_id', p_conversation.widget_id, 'user_id', p_conversation.user_id,
        'language', p_conversation.language, 'page_url', p_conversation.page_url,
        'page_title', p_conversation.page_title,
        'created_at', outbound.iso_time(p_conversation.created_at)));
  end if;
  perform outbound.write_event(p_message.company_id, 'conversation.message', p_message.created_at,
    (p_message.content || jsonb_build_object(
      'company_id', p_message.company_id, 'conversation_id', p_message.conversation_id,
      'widget_id', p_conversation.widget_id, 'user_id', p_conversation.user_id,
      'message_id', p_message.id, 'sequence', p_message.sequence, 'author', p_message.author,
      'text', p_message.text, 'created_at', outbound.iso_time(p_message.created_at)))::json);
  if p_message.author = 'visitor' and p_conversation.assistant <> 'replying'
    and (p_conversation.assigned_to is not null or p_conversation.last_author is distinct from 'visitor')
  then
    perform outbound.notify_members(
      p_message.company_id, 'chat', p_message.conversation_id, p_conversation.assigned_to);
  end if;
end
$$;
revoke execute on function outbound.report_message from public;
