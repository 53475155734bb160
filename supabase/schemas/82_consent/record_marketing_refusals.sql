-- Records what refusals of marketing messages say about their recipients: 131050, the person stopped marketing of this
-- business; 131049, the platform spares the person more of it, for a day after p_times. Call it last: contacts are
-- locked after everything else.
create function outbound.record_marketing_refusals(
  p_companies uuid[], p_notifications uuid[], p_codes text[], p_times timestamptz[]
)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_refusal record;
begin
  for v_refusal in
    select n.company_id, n.number, n.user_id, n.id, r.code, least(r.at, now()) as at
    from unnest(p_companies, p_notifications, p_codes, p_times) as r(company_id, id, code, at)
    cross join lateral (
      select w.company_id, w.id, w.number, w.user_id from outbound.notification_facts as w
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
      insert into outbound.marketing_cooldowns as m (company_id, address, until)
      select v_refusal.company_id, known.address, v_refusal.at + interval '24 hours'
      from unnest(outbound.addresses_of(v_refusal.company_id, v_refusal.number, v_refusal.user_id))
        as known(address)
      order by known.address
      on conflict on constraint marketing_cooldowns_pkey do update set until = greatest(m.until, excluded.until);
    end if;
  end loop;
end
$$;
revoke execute on function outbound.record_marketing_refusals from public;
