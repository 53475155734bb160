-- Applies at once, without storing them, the receipts among p_events that only carry a message on: it is known to be
-- sent, by the very try and under the very id that the receipt names, and its row can be locked at once. Most
-- receipts are of that kind; a receipt that says no more than the message's row counts as applied too. p_events is that
-- of store_platform_events. Returns the numbers, from 1, of the events that need not be stored.
--
-- Leaves everything to apply_platform_events while messages are being dropped (record_drops): each receipt counts
-- there. The first receipt with a price counts the message in campaign_pricing, whichever receipt it is.
create function outbound.apply_receipts(p_events jsonb)
returns int[]
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per receipt.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
-- A campaign that is being cancelled is locked for long; the platform wants its response.
set lock_timeout = '250ms'
as $$
declare
  v_applied int[];
  v_moves jsonb;
  v_prices jsonb;
begin
  if exists (select from outbound.drop_bursts as b where b.began_at > now() - interval '1 minute') then
    return '{}'::int[];
  end if;

  with receipt as materialized (
    select e.ord::int, e.company_id, e.notification_id, e.fence, e.platform_message_id, e.status, e.occurred_at,
      e.pricing,
      case e.status when 'sent' then n.held_for_quality is null when 'delivered' then n.status in ('delivered', 'read')
        else n.status = 'read' end and (e.pricing is null or n.is_priced) as is_known
    from rows from (jsonb_to_recordset(p_events) as (
      channel text, company_id uuid, notification_id uuid, fence int, platform_message_id text, status text,
      occurred_at timestamptz, pricing jsonb
    )) with ordinality as e(
      channel, company_id, notification_id, fence, platform_message_id, status, occurred_at, pricing, ord
    )
    cross join lateral (
      select w.status, w.held_for_quality, w.is_priced from outbound.notification_facts as w
      where w.company_id = e.company_id and w.id = e.notification_id and w.fence = e.fence
        and w.platform_message_id = e.platform_message_id and w.status in ('sent', 'delivered', 'read') limit 1
    ) as n
    where e.channel = 'whatsapp' and e.status in ('sent', 'delivered', 'read')
  ),
  fact as materialized (
    select r.company_id, r.notification_id, r.fence, r.platform_message_id, array_agg(r.ord) as ords,
      min(r.occurred_at) filter (where r.status in ('delivered', 'read')) as delivered_at,
      min(r.occurred_at) filter (where r.status = 'read') as read_at,
      (array_agg(r.pricing) filter (where r.pricing is not null))[1] as pricing
    from receipt as r where not r.is_known
    group by r.company_id, r.notification_id, r.fence, r.platform_message_id order by r.notification_id
  ),
  -- With what carries it on: joining the two again would compare each message with every other one.
  locked as materialized (
    select n.*, f.ords, f.delivered_at, f.read_at, case when not n.is_priced then f.pricing end as pricing,
      case when n.was = 'read' or f.read_at is not null then 'read'
        when n.was = 'delivered' or f.delivered_at is not null then 'delivered' else 'sent' end as becomes
    from fact as f
    cross join lateral (
      select w.company_id, w.id, w.status as was, w.is_priced from outbound.notification_facts as w
      where w.company_id = f.company_id and w.id = f.notification_id and w.fence = f.fence
        and w.platform_message_id = f.platform_message_id and w.status in ('sent', 'delivered', 'read')
      for update skip locked
    ) as n
  ),
  moved as (
    update outbound.notification_facts as n
    set status = locked.becomes, held_for_quality = null, error_code = null, error_reason = null,
      delivered_at = case when locked.becomes in ('delivered', 'read')
        then coalesce(n.delivered_at, locked.delivered_at) end,
      read_at = case when locked.becomes = 'read' then coalesce(n.read_at, locked.read_at) end,
      is_priced = n.is_priced or locked.pricing is not null
    from locked
    where n.company_id = locked.company_id and n.id = locked.id
      and (locked.was <> locked.becomes or locked.pricing is not null or n.held_for_quality)
    returning n.company_id, n.campaign_id, locked.was, locked.becomes, locked.pricing
  )
  select
    (
      select array_agg(done.ord) from (
        select r.ord from receipt as r where r.is_known union all select unnest(l.ords) from locked as l
      ) as done
    ),
    (
      select jsonb_agg(to_jsonb(move)) from (
        select m.company_id, m.campaign_id,
          sum((m.was = 'sent' and m.becomes <> 'sent')::int) as delivered,
          sum((m.was <> 'read' and m.becomes = 'read')::int) as read
        from moved as m where m.was <> m.becomes group by m.company_id, m.campaign_id
      ) as move
    ),
    (
      select jsonb_agg(to_jsonb(price)) from (
        select m.company_id, m.campaign_id, m.pricing, count(*) as messages
        from moved as m where m.pricing is not null group by m.company_id, m.campaign_id, m.pricing
      ) as price
    )
  into v_applied, v_moves, v_prices;

  if v_moves is not null then
    perform outbound.move_campaign_counters(v_moves);
  end if;
  if v_prices is not null then
    perform outbound.count_pricing(v_prices);
  end if;
  return coalesce(v_applied, '{}'::int[]);
end
$$;
revoke execute on function outbound.apply_receipts from public;
