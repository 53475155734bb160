-- Returns the notifications of a campaign that failed or were skipped with one of p_codes and were not resent, by id,
-- after p_after, at most p_limit (null: all). refusal: the error of a request for this recipient
-- (recipient_opted_out, consent_missing); null where none would be. Erased people are none: their notifications have
-- no recipient any more.
create function outbound.resend_candidates(
  p_company_id uuid, p_campaign_id uuid, p_codes text[], p_after uuid, p_limit int
)
returns table (id uuid, refusal text)
language plpgsql stable security invoker set search_path = ''
-- By the index of what failed, and address by address, whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  with source as materialized (
    select g.channel, coalesce(t.category = 'MARKETING', g.notification_type = 'marketing') as is_marketing,
      r.consent_policy
    from outbound.campaigns as g
    left join outbound.templates as t on t.company_id = g.company_id and t.id = g.template_id
    left join outbound.contact_rules as r on r.company_id = g.company_id
    where g.company_id = p_company_id and g.id = p_campaign_id
  )
  select failed.id, rule.refusal
  from source
  cross join lateral (
    select picked.id, picked.number, picked.user_id
    from (select distinct c.code from unnest(p_codes) as c(code)) as wanted
    cross join lateral (
      select n.id, n.number, n.user_id from outbound.notification_facts as n
      where n.campaign_id = p_campaign_id and coalesce(n.error_code, 'unknown') = wanted.code and n.id > p_after
        and (n.failed_at is not null or n.skipped_at is not null)
        and case when n.company_id = p_company_id then true end
        and n.resent_as is null and num_nonnulls(n.number, n.user_id) > 0
      order by n.campaign_id, coalesce(n.error_code, 'unknown'), n.id limit p_limit
    ) as picked
    order by picked.id limit p_limit
  ) as failed
  cross join lateral (
    select case
      when exists (
        select from (values (failed.number), (failed.user_id)) as a(address)
        cross join lateral (
          select from outbound.suppressions as s
          where s.company_id = p_company_id and s.address = a.address and s.lifted_at is null
            and s.channel in ('any', source.channel) and (s.category = 'all' or source.is_marketing)
          limit 1
        ) as suppression
      ) then 'recipient_opted_out'
      when source.is_marketing and source.consent_policy = 'require' and not outbound.is_consent_given(
        p_company_id, array[failed.number, failed.user_id], source.channel = 'voice'
      ) then 'consent_missing'
    end as refusal
  ) as rule
  order by failed.id;
end
$$;
revoke execute on function outbound.resend_candidates from public;
