-- Erases what companies do not want to keep any longer (keep_…_days in contact_rules), at most p_limit rows of each
-- kind, of the company first that is furthest behind. Of notifications and calls, what happened and when stays;
-- messages are deleted. Returns how many rows of each kind it handled; p_limit of one means that there may be more.
--
-- It never waits for a lock. Notifications have no index on their time, and need none: their ids are in the order in
-- which they were accepted, so it goes through them once, hour by hour, and remembers in contact_rules how far it came.
create function outbound.apply_retention(p_limit int default 10000)
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_rules record;
  v_before uuid;
  v_ids uuid[];
  v_rows int;
  v_notifications int := 0;
  v_messages int := 0;
  v_transcripts int := 0;
begin
  v_notifications := outbound.erase_leftovers(p_limit);
  for v_rules in
    select r.company_id, r.keep_notifications_days, r.keep_messages_days, r.keep_transcripts_days,
      coalesce(r.notifications_erased_to, outbound.first_id_at('epoch')) as erased_to
    from outbound.contact_rules as r
    where num_nonnulls(r.keep_notifications_days, r.keep_messages_days, r.keep_transcripts_days) > 0
    order by r.notifications_erased_to nulls first for update skip locked
  loop
    v_before := outbound.first_id_at(
      date_trunc('hour', now()) - make_interval(days => v_rules.keep_notifications_days));
    if v_notifications < p_limit and v_before > v_rules.erased_to then
      v_ids := array(
        select n.id from outbound.notification_facts as n
        where n.company_id = v_rules.company_id and n.id > v_rules.erased_to and n.id < v_before
        order by n.id limit p_limit - v_notifications
      );
      v_notifications := v_notifications + cardinality(v_ids);
      perform outbound.erase_old_notifications(v_rules.company_id, v_ids, v_rules.keep_notifications_days);
      update outbound.contact_rules as r
      set notifications_erased_to = case when v_notifications < p_limit then v_before else v_ids[cardinality(v_ids)] end
      where r.company_id = v_rules.company_id;
    end if;

    if v_messages < p_limit and v_rules.keep_messages_days is not null then
      delete from outbound.contact_messages as m where m.ctid = any (array(
        select o.ctid from outbound.contact_messages as o
        where o.company_id = v_rules.company_id
          and o.created_at < now() - make_interval(days => v_rules.keep_messages_days)
          and o.status not in ('queued', 'sending', 'unconfirmed')
        order by o.created_at limit p_limit - v_messages for update skip locked));
      get diagnostics v_rows = row_count;
      v_messages := v_messages + v_rows;
    end if;

    if v_transcripts < p_limit and v_rules.keep_transcripts_days is not null then
      update outbound.calls as k set transcript = null, summary = null where k.ctid = any (array(
        select o.ctid from outbound.calls as o
        where o.company_id = v_rules.company_id and (o.transcript is not null or o.summary is not null)
          and o.started_at < now() - make_interval(days => v_rules.keep_transcripts_days)
        order by o.started_at limit p_limit - v_transcripts for update skip locked));
      get diagnostics v_rows = row_count;
      v_transcripts := v_transcripts + v_rows;
    end if;
  end loop;
  return jsonb_build_object('erased_notifications', v_notifications, 'erased_messages', v_messages,
    'erased_transcripts', v_transcripts);
end
$$;
revoke execute on function outbound.apply_retention from public;

-- Returns the lowest id that a notification accepted at p_at can have (UUIDv7).
create function outbound.first_id_at(p_at timestamptz)
returns uuid
language sql immutable security invoker set search_path = ''
as $$
  select rpad(lpad(to_hex(floor(extract(epoch from p_at) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;
revoke execute on function outbound.first_id_at from public;

-- Erases the recipients of those of a company's notifications that were finished p_keep_days ago, and writes the others
-- down in retention_leftovers.
create function outbound.erase_old_notifications(p_company_id uuid, p_ids uuid[], p_keep_days int)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_keep constant interval := make_interval(days => p_keep_days);
begin
  with locked as materialized (
    select n.id,
      n.status is not null and n.on_call is null
        and (n.status = 'cancelled' or coalesce(n.sent_at, n.failed_at, n.skipped_at) < now() - v_keep) as is_old
    from outbound.notification_facts as n
    where n.company_id = p_company_id and n.id = any (p_ids) and num_nonnulls(n.number, n.user_id) > 0
    order by n.id for update skip locked
  ),
  erased as (
    update outbound.notification_facts as n
    set number = null, user_id = null, message = '{}', metadata = null, platform_message_id = null
    from locked where n.company_id = p_company_id and n.id = locked.id and locked.is_old
    returning n.id
  ),
  attempt as (
    update outbound.delivery_attempts as a set platform_message_id = null
    from erased where a.company_id = p_company_id and a.notification_id = erased.id
  ),
  done as (
    delete from outbound.retention_leftovers as l
    using erased where l.company_id = p_company_id and l.notification_id = erased.id
  )
  insert into outbound.retention_leftovers as l (company_id, notification_id, due_at)
  select p_company_id, n.id, case when locked.id is null then now() + interval '1 minute'
    else greatest(
      now() + interval '1 hour',
      greatest(n.expires_at, n.sent_at, n.failed_at, n.skipped_at) + v_keep
    ) end
  from outbound.notifications as n left join locked on locked.id = n.id
  where n.company_id = p_company_id and n.id = any (p_ids) and num_nonnulls(n.number, n.user_id) > 0
    and locked.is_old is not true
  on conflict on constraint retention_leftovers_pkey do update set due_at = excluded.due_at;
end
$$;
revoke execute on function outbound.erase_old_notifications from public;

-- Returns to at most p_limit leftovers that are due. Returns how many there were.
create function outbound.erase_leftovers(p_limit int)
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_due record;
  v_rows int := 0;
begin
  for v_due in
    select l.company_id, array_agg(l.notification_id) as ids, r.keep_notifications_days as days
    from (
      select o.company_id, o.notification_id from outbound.retention_leftovers as o
      where o.due_at <= now() order by o.due_at limit p_limit for update skip locked
    ) as l
    left join outbound.contact_rules as r on r.company_id = l.company_id
    group by l.company_id, r.keep_notifications_days
  loop
    v_rows := v_rows + cardinality(v_due.ids);
    if v_due.days is not null then
      perform outbound.erase_old_notifications(v_due.company_id, v_due.ids, v_due.days);
    end if;
    -- Leftovers that are not due later are done with: erased, or kept for good by now.
    delete from outbound.retention_leftovers as l
    where l.company_id = v_due.company_id and l.notification_id = any (v_due.ids) and l.due_at <= now();
  end loop;
  return v_rows;
end
$$;
revoke execute on function outbound.erase_leftovers from public;
