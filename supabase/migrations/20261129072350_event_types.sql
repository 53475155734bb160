set local lock_timeout = '2s';
set check_function_bodies = off;

-- Returns whether webhooks may want these types of events: one or more of EVENT_TYPES (event_types.ts). Null for null, which
-- means all of them.
create or replace function outbound.are_event_types(p_types text[])
returns boolean
language sql immutable security invoker set search_path = ''
as $$
  select cardinality(p_types) > 0 and p_types <@ array[
    'notification.sent', 'notification.delivered', 'notification.read', 'notification.failed',
    'notification.skipped', 'campaign.completed', 'template.status_changed', 'sender.status_changed',
    'sender.updated', 'flow.triggered', 'message.received', 'message.failed', 'contact.opted_out',
    'contact.opted_in', 'conversation.started', 'conversation.message', 'conversation.handoff_requested',
    'conversation.follow_up', 'conversation.rated', 'handoff.requested', 'handoff.ended', 'key.expiring'
  ]
$$;

revoke execute on function outbound.are_event_types from public;

alter table outbound.webhooks drop constraint webhooks_types_check;

alter table outbound.webhooks add constraint webhooks_types_check CHECK (outbound.are_event_types(event_types));

reset check_function_bodies;
