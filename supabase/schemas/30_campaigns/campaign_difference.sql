-- Compares a campaign with a request to add to it, as a campaign of its own would be. Returns the first difference as
-- {field, expected}, a field of the API and its value in the campaign, or null. The names may differ. The field
-- template_shape means that the template itself has changed. At their recipients' own time of day, campaigns are
-- compared by their day, because the first time depends on the recipients. p_timing, p_requested_timing: how the times of
-- their messages differ (bulk_campaigns).
create function outbound.campaign_difference(
  p_campaign outbound.campaigns, p_request outbound.campaigns, p_timing jsonb, p_requested_timing jsonb
)
returns json
language sql stable security invoker set search_path = ''
as $$
  select json_build_object('field', pair.field, 'expected', pair.expected)
  from (values
    (1, 'channel', p_campaign.channel, p_request.channel),
    (2, 'recipient_id', p_campaign.sender_id::text, p_request.sender_id::text),
    (3, 'name_template', p_campaign.template_name, p_request.template_name),
    (4, 'language_template', p_campaign.template_language, p_request.template_language),
    (5, 'agent_id', p_campaign.agent_id::text, p_request.agent_id::text),
    (6, 'notification_type', p_campaign.notification_type, p_request.notification_type),
    (7, 'recipient_time', p_timing ->> 'recipient_time', p_requested_timing ->> 'recipient_time'),
    (8, 'datetime_sending',
      case when p_timing ? 'recipient_time' then p_timing ->> 'day'
        else outbound.iso_time(p_campaign.scheduled_time) end,
      case when p_requested_timing ? 'recipient_time' then p_requested_timing ->> 'day'
        else outbound.iso_time(p_request.scheduled_time) end),
    (9, 'timezone', lower(p_campaign.timezone), lower(p_request.timezone)),
    (10, 'name_event', p_campaign.name_event, p_request.name_event),
    (11, 'spread_over', p_timing ->> 'spread_over', p_requested_timing ->> 'spread_over')
  ) as pair(ord, field, expected, given)
  where pair.expected is distinct from pair.given
  union all
  -- Its messages are made for the template as it was; those of the request, as it is now.
  select json_build_object('field', 'template_shape', 'expected', null)
  where p_campaign.template_id is distinct from p_request.template_id
    or p_campaign.template_shape is distinct from p_request.template_shape
  limit 1
$$;
revoke execute on function outbound.campaign_difference from public;
