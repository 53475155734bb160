-- Lifts a person's suppressions within a channel and category at the request of p_by (api or operator): those whose
-- source is in p_sources, and the person's own (keyword, button) if p_consented_at is later than all of them. What the
-- platform reported stays. Changes nothing unless the outcome is `lifted`.
-- p_consented_at: when the person agreed again, as p_evidence shows; null if nothing shows it.
-- Returns outcome: lifted; none (nothing of that channel and category is suppressed); evidence_needed (with
-- opted_out_at and opted_out_by, the person's latest own opt-out); kept (all of it has other sources). lifted: how
-- many. kept: the sources by which something is still suppressed.
create function outbound.unsuppress_contact(
  p_company_id uuid, p_number text, p_user_id text, p_channel text, p_category text, p_sources text[], p_by text,
  p_consented_at timestamptz, p_evidence jsonb,
  out outcome text, out lifted int, out kept text[], out opted_out_at timestamptz, out opted_out_by text
)
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per address. They are locked in the order of lift_suppressions.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  v_own constant text[] := '{keyword,button}'::text[];
  v_liftable int;
  v_latest timestamptz;
  v_ids uuid[];
begin
  select coalesce(array_agg(distinct c.source order by c.source), '{}'),
    max(c.at) filter (where c.source = any (v_own)),
    (array_agg(c.source order by c.at desc) filter (where c.source = any (v_own)))[1],
    count(*) filter (where c.source = any (p_sources || v_own)), max(c.at),
    array_agg(c.id)
  into kept, opted_out_at, opted_out_by, v_liftable, v_latest, v_ids
  from (
    select s.id, s.source, s.at
    from unnest(outbound.addresses_of(p_company_id, p_number, p_user_id)) as known(address)
    cross join lateral (
      select o.id, o.source, o.at from outbound.suppressions as o
      where o.company_id = p_company_id and o.address = known.address and o.lifted_at is null
        and p_channel in ('any', o.channel) and p_category in ('all', o.category)
      order by o.channel, o.category, o.source for update
    ) as s
  ) as c;
  lifted := 0;
  outcome := case
    when kept = '{}' then 'none'
    when p_consented_at > opted_out_at is not true and opted_out_at is not null then 'evidence_needed'
    when v_liftable = 0 then 'kept'
    else 'lifted' end;
  if outcome = 'lifted' then
    -- It was decided above which of them count; here the time must only be later than all of theirs. What was stored
    -- since then stays.
    select l.lifted, l.kept into lifted, kept
    from outbound.lift_suppressions(
      p_company_id, p_number, p_user_id, p_channel, p_category, p_sources || v_own,
      greatest(now(), v_latest + interval '1 microsecond'), p_by, p_evidence, v_ids
    ) as l;
  end if;
end
$$;
revoke execute on function outbound.unsuppress_contact from public;
