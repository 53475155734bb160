-- Whether a campaign may still be given another time, or taken back: scheduled; started (it began, ended or is about
-- to, or never had a time); open (more requests are expected, or a resend is making it).
create function outbound.schedule_state(p_campaign outbound.campaigns)
returns text
language sql stable security invoker set search_path = ''
return case
  when p_campaign.started_at is not null or p_campaign.cancelled_at is not null or p_campaign.completed_at is not null
    or p_campaign.scheduled_time is null
    or p_campaign.scheduled_time <= now() and p_campaign.paused_at is null then 'started'
  when p_campaign.open_until is not null or exists (
    select from outbound.resends as r
    where r.company_id = p_campaign.company_id and r.campaign_id = p_campaign.id
  ) then 'open'
  else 'scheduled'
end;
revoke execute on function outbound.schedule_state from public;
