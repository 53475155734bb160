set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.api_keys drop constraint api_keys_permissions_check;

alter table outbound.api_keys add constraint api_keys_permissions_check CHECK ((permissions <@ ARRAY['chatapp_notifications'::text, 'voice_notifications'::text, 'contacts'::text, 'erase'::text, 'people'::text, 'media'::text, 'conversations'::text, 'calls'::text, 'templates'::text, 'senders'::text, 'webhooks'::text, 'widgets'::text, 'reports'::text, 'settings'::text]));

reset check_function_bodies;
