-- Marks the notifications that messages reply to, and counts them in `replied` of their campaigns. A message that is
-- stored already changes nothing, because its notification was replied to. A step of store_inbound_messages, which says
-- what p_messages holds.
create function outbound.mark_replied(p_messages json)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_moves jsonb;
begin
  with reply as materialized (
    select distinct n.company_id, n.id
    from json_to_recordset(p_messages) as m(phone_number_id text, context_message_id text, kind text)
    cross join lateral (
      select s.company_id from outbound.senders as s where s.channel = 'whatsapp' and s.platform_id = m.phone_number_id
    ) as s
    cross join lateral (
      select w.company_id, w.id from outbound.notification_facts as w
      where w.platform_message_id = m.context_message_id
        -- Written so that no index on the company matches it: it would read all that the company ever sent.
        and case when w.company_id = s.company_id then true end
      limit 1
    ) as n
    where m.kind not in ('system', 'reaction')
  ),
  locked as materialized (
    select n.company_id, n.id, n.campaign_id
    from (select r.company_id, r.id from reply as r order by r.id) as r
    cross join lateral (
      select w.company_id, w.id, w.campaign_id from outbound.notification_facts as w
      where w.company_id = r.company_id and w.id = r.id and w.replied_at is null for no key update
    ) as n
  ),
  replied as (
    update outbound.notification_facts as n set replied_at = now()
    from locked where n.company_id = locked.company_id and n.id = locked.id and n.replied_at is null
    returning n.company_id, n.campaign_id
  )
  select jsonb_agg(to_jsonb(each)) into v_moves from (
    select r.company_id, r.campaign_id, count(*)::int as replied from replied as r group by 1, 2
  ) as each;
  if v_moves is not null then
    perform outbound.move_campaign_counters(v_moves);
  end if;
end
$$;
revoke execute on function outbound.mark_replied from public;
