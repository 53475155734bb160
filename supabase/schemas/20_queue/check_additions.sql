-- Returns what campaigns say about the requests of a batch that add to them (accept_notifications describes both), at
-- the ord of the request: campaign_not_found, campaign_cancelled, campaign_mismatch with the difference, or null; and
-- whether the campaign is paused and the request does not know it. A campaign of a sender that the key may not use is
-- not found. p_hashes, p_keys: those of check_requests. Reads only; called only if a request adds to a campaign.
create function outbound.check_additions(
  p_hashes text[], p_keys outbound.api_keys[], p_sources json, p_requests json,
  out outcomes text[], out mismatches json[], out are_paused boolean[]
)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  select array_agg(a.outcome order by a.ord), array_agg(a.mismatch order by a.ord),
    array_agg(a.is_paused order by a.ord)
  into outcomes, mismatches, are_paused
  from (
    select r.ord, target.mismatch, target.is_paused and r.knows_paused is not true as is_paused,
      case
        when r.is_addition and target.is_cancelled is null then 'campaign_not_found'
        when target.is_cancelled then 'campaign_cancelled'
        when target.mismatch is not null then 'campaign_mismatch'
      end as outcome
    from (
      select * from json_to_recordset(p_requests) as r(
        ord int, source int, id uuid, scheduled_time timestamptz, timezone text, name_event text, is_addition boolean,
        knows_paused boolean, timing jsonb
      )
      join json_to_recordset(p_sources) as s(
        source int, key_hash text, channel text, notification_type text, sender_id uuid, template_id uuid,
        template_name text, template_language text, template_shape text, agent_id uuid
      ) using (source)
    ) as r
    -- Lateral: one look-up per request. As a join it becomes, without statistics, a scan of everything stored.
    left join lateral (
      select g.cancelled_at is not null as is_cancelled, g.paused_at is not null as is_paused,
        outbound.campaign_difference(g, jsonb_populate_record(g, to_jsonb(r)), (
          select b.timing from outbound.bulk_campaigns as b where b.company_id = g.company_id and b.campaign_id = g.id
        ), r.timing) as mismatch
      from outbound.campaigns as g
      where r.is_addition and g.company_id = (p_keys[array_position(p_hashes, r.key_hash)]).company_id and g.id = r.id
        and (g.sender_id = any ((p_keys[array_position(p_hashes, r.key_hash)]).sender_ids)) is not false
      limit 1
    ) as target on true
  ) as a;
end
$$;
revoke execute on function outbound.check_additions from public;
