-- Returns a message as all responses show it: what it has beside its text are fields of their own.
create function outbound.describe_message(p_message outbound.conversation_messages)
returns jsonb
language sql stable security invoker set search_path = ''
as $$
  select p_message.content || jsonb_build_object(
    'id', p_message.id, 'sequence', p_message.sequence, 'author', p_message.author, 'text', p_message.text,
    'created_at', outbound.iso_time(p_message.created_at), 'client_message_id', p_message.client_message_id)
$$;
revoke execute on function outbound.describe_message from public;
