-- Writes the event message.received of a stored message to its company. p_message: a row of store_inbound_messages.
create function outbound.report_inbound_message(p_message json)
returns void
language sql security invoker set search_path = ''
as $$
  select outbound.write_event(
    m.company_id, 'message.received', m.said_at, json_build_object(
      'company_id', m.company_id, 'message_id', m.id, 'sender_id', m.sender_id, 'sender_number', m.sender_number,
      'number', m.number, 'user_id', m.user_id, 'profile_name', m.profile_name, 'username', m.username,
      'kind', m.kind, 'text', m.text, 'content', m.content, 'platform_message_id', m.platform_message_id,
      'context_message_id', m.context_message_id, 'campaign_id', m.campaign_id, 'notification_id', m.notification_id,
      'metadata', m.metadata, 'at', outbound.iso_time(m.said_at)
    )
  )
  from json_to_record(p_message) as m(
    company_id uuid, id uuid, sender_id uuid, sender_number text, number text, user_id text, profile_name text,
    username text, kind text, text text, content jsonb, platform_message_id text, context_message_id text,
    campaign_id uuid, notification_id uuid, metadata json, said_at timestamptz
  )
$$;
revoke execute on function outbound.report_inbound_message from public;
