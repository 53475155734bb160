-- Does what people chose in the platform's own settings about marketing, for every company that holds the number:
-- stop suppresses it on WhatsApp, resume lifts what the platform suppressed, signup does the same and is a consent.
-- Only the platform's own suppressions are lifted. Of several choices of a person the latest counts, in whatever order
-- they arrive. p_preferences: [{waba_id, phone_number_id, number, user_id, value,
-- detail, at}, …]. Returns how many were about numbers of ours.
create function outbound.apply_preferences(p_preferences json)
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_preference record;
  v_count int := 0;
begin
  perform outbound.record_account_events(
    array(select distinct p ->> 'waba_id' from json_array_elements(p_preferences) as p));
  for v_preference in
    select p.number, p.user_id, p.value, p.detail, s.company_id, least(p.at, now()) as said_at
    from json_to_recordset(p_preferences) as p(
      phone_number_id text, number text, user_id text, value text, detail text, at timestamptz
    )
    cross join lateral (
      select distinct s.company_id from outbound.senders as s
      where s.channel = 'whatsapp' and s.platform_id = p.phone_number_id
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
      select from outbound.senders as s where s.channel = 'whatsapp' and s.platform_id = p.phone_number_id
    )
  ));
  return v_count;
end
$$;
revoke execute on function outbound.apply_preferences from public;
