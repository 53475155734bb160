-- Returns how many messages the platform must drop within a minute, with none arriving in between, to make a burst.
create function outbound.drops_per_burst()
returns int
language sql immutable security invoker set search_path = ''
as $$ select 5 $$;
revoke execute on function outbound.drops_per_burst from public;

-- Counts messages that the platform took, held and then dropped: 132015 says that of a template, 135000 of the whole
-- account. A burst of them stops the template, or the account's senders, as the platform's own event would: this writes
-- the event, and apply_template_events or apply_account_events applies it. So the same frees them again.
--
-- p_events with the notification of each. A message of the template or of the account that
-- arrived ends the count.
create function outbound.record_drops(p_events bigint[], p_companies uuid[], p_notifications uuid[])
returns void
language plpgsql security invoker set search_path = ''
-- By indexes, also when the tables were empty when statistics were last taken.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_count record;
  v_drops int;
begin
  for v_count in
    with event as (
      select e.status, e.error_code, e.occurred_at, s.waba_id, g.template_name, g.template_language
      from unnest(p_events, p_companies, p_notifications) as named(event_id, company_id, id)
      cross join lateral (
        select x.status, x.error_code, x.occurred_at from outbound.platform_events as x
        where x.id = named.event_id and x.channel = 'whatsapp' limit 1
      ) as e
      cross join lateral (
        select n.sender_id, n.campaign_id from outbound.notification_facts as n
        where n.company_id = named.company_id and n.id = named.id limit 1
      ) as n
      cross join lateral (
        select w.waba_id from outbound.senders as w
        where w.company_id = named.company_id and w.id = n.sender_id limit 1
      ) as s
      cross join lateral (
        select w.template_name, w.template_language from outbound.campaigns as w
        where w.company_id = named.company_id and w.id = n.campaign_id and w.template_name is not null limit 1
      ) as g
    ),
    -- Each event counts for its template and for its account.
    subject as (
      select e.waba_id, c.error_code, c.template_name, c.template_language,
        max(e.occurred_at) filter (where e.status <> 'failed') as arrived_at,
        array_agg(e.occurred_at) filter (where e.status = 'failed' and e.error_code = c.error_code) as dropped_at
      from event as e
      cross join lateral (
        values ('132015', e.template_name, e.template_language), ('135000', '', '')
      ) as c(error_code, template_name, template_language)
      group by 1, 2, 3, 4
    )
    select s.waba_id, s.error_code, s.template_name, s.template_language, s.arrived_at is not null as arrived,
      latest.drops, latest.dropped_at
    from subject as s
    cross join lateral (
      select count(*)::int as drops, max(d.at) as dropped_at
      from unnest(s.dropped_at) as d(at) where s.arrived_at is null or d.at > s.arrived_at
    ) as latest
    order by 1, 2, 3, 4
  loop
    if v_count.arrived then
      delete from outbound.drop_bursts as b
      where (b.waba_id, b.error_code, b.template_name, b.template_language)
        = (v_count.waba_id, v_count.error_code, v_count.template_name, v_count.template_language);
    end if;
    continue when v_count.drops = 0;

    insert into outbound.drop_bursts as b (waba_id, error_code, template_name, template_language, drops, began_at)
    values (v_count.waba_id, v_count.error_code, v_count.template_name, v_count.template_language, v_count.drops, now())
    on conflict on constraint drop_bursts_pkey do update
      set drops = excluded.drops + case when b.began_at > now() - interval '1 minute' then b.drops else 0 end,
        began_at = case when b.began_at > now() - interval '1 minute' then b.began_at else now() end
    returning b.drops into v_drops;
    continue when v_drops < outbound.drops_per_burst();

    delete from outbound.drop_bursts as b
    where (b.waba_id, b.error_code, b.template_name, b.template_language)
      = (v_count.waba_id, v_count.error_code, v_count.template_name, v_count.template_language);
    if v_count.error_code = '132015' then
      insert into outbound.template_events (
        dedupe_key, waba_id, name, language, kind, status, reason, occurred_at
      )
      values (
        concat_ws(':', 'drops', v_count.waba_id, v_count.template_name, v_count.template_language,
          extract(epoch from v_count.dropped_at)),
        v_count.waba_id, v_count.template_name, v_count.template_language, 'status', 'disabled',
        'The platform dropped messages of the template that it had held, because of its low quality (132015)',
        v_count.dropped_at
      )
      on conflict on constraint template_events_dedupe_key do nothing;
    else
      insert into outbound.account_events (dedupe_key, waba_id, status, reason, occurred_at)
      values (
        concat_ws(':', 'drops', v_count.waba_id, extract(epoch from v_count.dropped_at)),
        v_count.waba_id, 'restricted',
        'The platform dropped messages of the account that it had held, and bars it from sending (135000)',
        v_count.dropped_at
      )
      on conflict on constraint account_events_dedupe_key do nothing;
    end if;
  end loop;
end
$$;
revoke execute on function outbound.record_drops from public;
