-- Returns the state that GET /notify/status shows. It is derived, so it can never disagree with the counters.
-- paused_reason says why a campaign is paused: sender_stopped, template_not_approved or operator, the first of these
-- that holds. paused_detail is a text for people. Reads one row of senders, however large the campaign is.
create function outbound.campaign_state(
  p_campaign outbound.campaigns, out status text, out paused_reason text, out paused_detail text
)
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if p_campaign.completed_at is not null then
    status := case when p_campaign.cancelled > 0 and p_campaign.cancelled = p_campaign.total
      then 'cancelled' else 'completed' end;
    return;
  end if;
  if p_campaign.pending > 0 then
    select format('The sender %s is stopped: %s', s.number, s.stopped_reason) into paused_detail
    from outbound.senders as s
    where s.company_id = p_campaign.company_id and s.id = p_campaign.sender_id and s.status = 'stopped';
  end if;
  if paused_detail is not null then
    paused_reason := 'sender_stopped';
  elsif p_campaign.pending = 0 and p_campaign.cancelled > 0 then
    -- After a cancellation nothing is left to be held: all that remains is being sent.
    null;
  elsif p_campaign.held_reason is not null then
    paused_reason := 'template_not_approved';
    paused_detail := p_campaign.held_reason;
  elsif p_campaign.paused_at is not null then
    paused_reason := 'operator';
    paused_detail := 'The campaign was paused; it continues when it is resumed';
  end if;
  status := case
    when paused_reason is not null then 'paused'
    when p_campaign.scheduled_time > now() and p_campaign.started_at is null then 'scheduled'
    else 'sending'
  end;
end
$$;
revoke execute on function outbound.campaign_state from public;
-- Returns the status of campaign_state alone.
create function outbound.campaign_status(p_campaign outbound.campaigns)
returns text
language sql stable security invoker set search_path = ''
as $$ select s.status from outbound.campaign_state(p_campaign) as s $$;
revoke execute on function outbound.campaign_status from public;
