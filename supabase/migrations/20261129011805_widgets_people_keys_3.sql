set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.webhook_endpoints drop constraint webhook_endpoints_types_check;

alter table outbound.webhook_endpoints add constraint webhook_endpoints_types_check CHECK (((cardinality(event_types) > 0) AND (event_types <@ ARRAY['notification.sent'::text, 'notification.delivered'::text, 'notification.read'::text, 'notification.failed'::text, 'notification.skipped'::text, 'campaign.completed'::text, 'template.status_changed'::text, 'sender.status_changed'::text, 'sender.updated'::text, 'flow.triggered'::text, 'message.received'::text, 'message.failed'::text, 'contact.opted_out'::text, 'contact.opted_in'::text, 'conversation.started'::text, 'conversation.message'::text, 'conversation.handoff_requested'::text, 'conversation.follow_up'::text, 'conversation.rated'::text, 'handoff.requested'::text, 'handoff.ended'::text, 'key.expiring'::text])));

reset check_function_bodies;
