-- Leases up to p_limit files that people sent and that are due to be fetched, for p_lease: one per company, those first
-- whose turn came first, and none of p_except. A company's next turn comes behind all that are due. Where the companies
-- of a round have nothing to fetch, the next ones are looked at. Passes by companies of which a message is being stored.
create function outbound.claim_received_media(p_limit int, p_lease interval, p_except uuid[])
returns table (
  company_id uuid, message_id uuid, attempt int, created_at timestamptz, kind text, content jsonb, sender_id uuid,
  platform_id text, token_sealed text
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per company.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
#variable_conflict use_column
declare
  v_companies uuid[];
  v_due_from constant timestamptz := outbound.due_from('received_media');
  v_is_idle boolean;
begin
  for v_round in 1..10 loop
    -- In a statement of its own: what was stored before its company's row was released is seen by the next one.
    select array_agg(s.company_id) into v_companies
    from (
      select s.company_id from outbound.received_media_schedule as s
      where s.due_at >= v_due_from and s.due_at <= now() and s.company_id <> all (p_except)
      order by s.due_at limit p_limit for update skip locked
    ) as s;
    exit when v_companies is null;
    return query
    with due as materialized (
      select r.company_id, r.message_id from unnest(v_companies) as w(company_id)
      cross join lateral (
        select q.company_id, q.message_id from outbound.received_media as q
        where q.company_id = w.company_id and q.next_at <= now()
        order by q.next_at limit 1 for update skip locked
      ) as r
    ),
    leased as (
      update outbound.received_media as r set attempt = r.attempt + 1, next_at = clock_timestamp() + p_lease
      from due where r.company_id = due.company_id and r.message_id = due.message_id
      returning r.company_id, r.message_id, r.attempt, r.created_at
    )
    select l.company_id, l.message_id, l.attempt, l.created_at, m.kind, m.content, s.id, s.platform_id, s.token_sealed
    from leased as l
    join outbound.contact_messages as m on m.company_id = l.company_id and m.id = l.message_id
    join outbound.senders as s on s.company_id = m.company_id and s.id = m.sender_id;
    v_is_idle := not found;
    perform outbound.reschedule_received_media(v_companies);
    exit when not v_is_idle;
  end loop;
end
$$;
revoke execute on function outbound.claim_received_media from public;

-- Says when claims look at these companies again, by what waits for them now. A step of claim_received_media, which has
-- locked their schedule.
create function outbound.reschedule_received_media(p_companies uuid[])
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per company.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  with next as materialized (
    select w.company_id, r.next_at from unnest(p_companies) as w(company_id)
    left join lateral (
      select q.next_at from outbound.received_media as q
      where q.company_id = w.company_id and q.next_at is not null order by q.next_at limit 1
    ) as r on true
  ),
  idle as (
    delete from outbound.received_media_schedule as s using next
    where s.company_id = next.company_id and next.next_at is null
  )
  update outbound.received_media_schedule as s set due_at = greatest(next.next_at, clock_timestamp())
  from next where s.company_id = next.company_id and next.next_at is not null;
end
$$;
revoke execute on function outbound.reschedule_received_media from public;
