-- Writes sender.status_changed: the platform stopped, locked or released the sender, or an operator resumed it.
create function outbound.report_sender()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform outbound.write_event(new.company_id, 'sender.status_changed', now(), json_build_object(
    'company_id', new.company_id, 'sender_id', new.id, 'number', new.number, 'channel', new.channel,
    'status', new.status, 'previous_status', old.status, 'reason', new.stopped_reason,
    'locked', case when new.locked then true end
  ));
  return null;
end
$$;
revoke execute on function outbound.report_sender from public;

-- Writes sender.updated: the platform changed a sender's messaging limit or quality, or warned about its account.
create function outbound.report_sender_limits()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  perform outbound.write_event(new.company_id, 'sender.updated', now(), json_build_object(
    'company_id', new.company_id, 'sender_id', new.id, 'number', new.number, 'channel', new.channel,
    'messaging_limit', new.messaging_limit, 'previous_messaging_limit', old.messaging_limit,
    'quality', new.quality, 'previous_quality', old.quality, 'notice', new.platform_notice
  ));
  return null;
end
$$;
revoke execute on function outbound.report_sender_limits from public;
