-- Does what people chose in the platform's own settings about marketing, for every company that holds the number:
-- stop suppresses it on WhatsApp, resume lifts what the platform suppressed, signup does the same and is a consent.
-- Only the platform's own suppressions are lifted. Of several choices of a person the latest counts, in whatever order
-- they arrive. p_preferences: [{account_id, phone_number_id, number, user_id, value,
-- detail, at}, …]. Returns how many were about numbers of ours.
create function outbound.apply_preferences(p_preferences json)
returns int
language plpgsql security invoker set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  v_preference record;
  v_count int := 0;
begin
  perform outbound.note_account_events(
    array(select distinct p ->> 'account_id' from json_array_elements(p_preferences) as p));
  for v_preference in
    select p.number, p.user_id, p.value, p.detail, s.company_id, least(p.at, now()) as said_at
    from json_to_recordset(p_preferences) as p(
      phone_number_id text, number text, user_id text, value text, detail text, at timestamptz
    )
    cross join lateral (
      select distinct s.company_id from outbound.senders as s
      where s.channel = 'whatsapp' and s.provider_id = p.phone_number_id
    ) as s
    order by s.company_id, outbound.addresses_of(s.company_id, p.number, p.user_id), p.at
  loop
    v_count := v_count + 1;
    if v_preference.user_id is not null then
      perform outbound.link_user_id(
        v_preference.company_id, v_preference.user_id, v_preference.number, null, v_preference.said_at);
    end if;
    if v_preference.value = 'stop' then
      perform outbound.suppress_by_platform(
        v_preference.company_id, v_preference.number, v_preference.user_id, v_preference.said_at,
        jsonb_build_object('detail', v_preference.detail));
    else
      perform outbound.allow_by_platform(
        v_preference.company_id, v_preference.number, v_preference.user_id, v_preference.said_at,
        jsonb_build_object('detail', v_preference.detail, 'at', v_preference.said_at));
    end if;
    if v_preference.value = 'signup' then
      perform outbound.record_consents(v_preference.company_id, jsonb_build_array(jsonb_build_object(
        'number', v_preference.number, 'user_id', v_preference.user_id, 'channel', 'whatsapp',
        'category', 'marketing', 'status', 'granted', 'method', 'in_app_signup', 'detail', v_preference.detail,
        'consented_at', v_preference.said_at, 'source', 'platform'
      )));
    end if;
  end loop;
  perform outbound.count_foreign_events('unknown_sender', (
    select count(*) from json_to_recordset(p_preferences) as p(phone_number_id text)
    where not exists (
      select from outbound.senders as s where s.channel = 'whatsapp' and s.provider_id = p.phone_number_id
    )
  ));
  return v_count;
end
$$;
revoke execute on function outbound.apply_preferences from public;

-- Lifts what the platform suppressed before p_at. Where there was nothing to lift, stores a lifted row, by which
-- suppress_by_platform recognises what was said before p_at and arrives later. p_evidence: {at, …}.
create function outbound.allow_by_platform(
  p_company_id uuid, p_number text, p_user_id text, p_at timestamptz, p_evidence jsonb
)
returns void
language plpgsql security invoker set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
begin
  perform outbound.lift_suppressions(
    p_company_id, p_number, p_user_id, 'whatsapp', 'marketing', '{platform}', p_at, 'platform', p_evidence);
  insert into outbound.suppressions (
    company_id, address, channel, category, source, at, lifted_at, lifted_by, lifted_evidence
  )
  select p_company_id, known.address, 'whatsapp', 'marketing', 'platform', p_at, now(), 'platform', p_evidence
  from unnest(outbound.addresses_of(p_company_id, p_number, p_user_id)) as known(address)
  left join lateral (
    select true as is_known from outbound.suppressions as s
    where s.company_id = p_company_id and s.address = known.address and s.source = 'platform'
      and (s.lifted_at is null or (s.lifted_evidence ->> 'at')::timestamptz >= p_at) limit 1
  ) as later on true
  where later.is_known is null;
end
$$;
revoke execute on function outbound.allow_by_platform from public;

-- Records that the platform keeps a company's marketing from a person, unless the person allowed it again after p_at: the
-- platform repeats its events for days.
create function outbound.suppress_by_platform(
  p_company_id uuid, p_number text, p_user_id text, p_at timestamptz, p_evidence jsonb
)
returns void
language plpgsql security invoker set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
begin
  if exists (
    select from unnest(outbound.addresses_of(p_company_id, p_number, p_user_id)) as known(address)
    cross join lateral (
      select from outbound.suppressions as s
      where s.company_id = p_company_id and s.address = known.address
        and s.source = 'platform' and s.lifted_at is not null
        and (s.lifted_evidence ->> 'at')::timestamptz > p_at limit 1
    ) as later
  ) then
    return;
  end if;
  perform outbound.suppress_contacts(p_company_id, jsonb_build_array(jsonb_build_object(
    'number', p_number, 'user_id', p_user_id, 'channel', 'whatsapp', 'category', 'marketing', 'source', 'platform',
    'at', p_at, 'evidence', p_evidence
  )));
end
$$;
revoke execute on function outbound.suppress_by_platform from public;

-- Records what refusals of marketing messages say about their recipients: 131050, the person stopped marketing of this
-- business; 131049, the platform spares the person more of it, for a day after p_times. Call it last: contacts are
-- locked after everything else.
create function outbound.note_marketing_refusals(
  p_companies uuid[], p_notifications uuid[], p_codes text[], p_times timestamptz[]
)
returns void
language plpgsql security invoker set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  v_refusal record;
begin
  for v_refusal in
    select n.company_id, n.number, n.user_id, n.id, r.code, least(r.at, now()) as at
    from unnest(p_companies, p_notifications, p_codes, p_times) as r(company_id, id, code, at)
    cross join lateral (
      select w.company_id, w.id, w.number, w.user_id from outbound.notifications as w
      where w.company_id = r.company_id and w.id = r.id and not w.voice
        and num_nonnulls(w.number, w.user_id) > 0
    ) as n
    where r.code in ('131049', '131050')
    order by n.company_id, outbound.addresses_of(n.company_id, n.number, n.user_id), r.at
  loop
    if v_refusal.code = '131050' then
      perform outbound.suppress_by_platform(
        v_refusal.company_id, v_refusal.number, v_refusal.user_id, v_refusal.at,
        jsonb_build_object('error_code', v_refusal.code, 'notification_id', v_refusal.id));
    else
      insert into outbound.marketing_rests as m (company_id, address, until)
      select v_refusal.company_id, known.address, v_refusal.at + interval '24 hours'
      from unnest(outbound.addresses_of(v_refusal.company_id, v_refusal.number, v_refusal.user_id))
        as known(address)
      order by known.address
      on conflict on constraint marketing_rests_pkey do update set until = greatest(m.until, excluded.until);
    end if;
  end loop;
end
$$;
revoke execute on function outbound.note_marketing_refusals from public;
