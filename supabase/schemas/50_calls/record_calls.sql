-- Ranks how a call went. Of two reports the lower one says more and is kept, whichever comes first: a call that a
-- machine took was also answered, and an answered call did not fail.
create function outbound.outcome_rank(p_outcome text)
returns int
language sql immutable security invoker set search_path = ''
as $$
  select case when p_outcome is null then 4
    when p_outcome = 'voicemail' then 1 when p_outcome = 'answered' then 2 else 3 end
$$;
revoke execute on function outbound.outcome_rank from public;

-- Records how calls went, from the given platform events about the given notifications, event by event. The caller has
-- locked the notifications. What was said in a call is not stored if the recipient was erased.
create function outbound.record_calls(p_events bigint[], p_companies uuid[], p_notifications uuid[])
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.calls as k (
    company_id, notification_id, conversation_id, outcome, duration_s, summary, transcript, started_at, ended_at
  )
  select n.company_id, n.id, max(e.platform_message_id),
    (array_agg(d.outcome order by outbound.outcome_rank(d.outcome)))[1], max(d.duration_s),
    (array_agg(d.summary) filter (where d.summary is not null))[1],
    (array_agg(d.transcript) filter (where d.transcript is not null))[1],
    now(), min(d.ended_at)
  from unnest(p_events, p_companies, p_notifications) as named(event_id, company_id, notification_id)
  join outbound.notification_facts as n on n.company_id = named.company_id and n.id = named.notification_id and n.voice
  join outbound.platform_events as e on e.id = named.event_id
  cross join lateral jsonb_to_record(
    coalesce(nullif(e.call::text, 'null')::jsonb, '{}')
      - case when num_nonnulls(n.number, n.user_id) = 0 then '{summary,transcript}' else '{}' end::text[]
  ) as d(
    outcome text, duration_s int, summary text, transcript jsonb, ended_at timestamptz
  )
  group by n.company_id, n.id
  order by n.id
  on conflict on constraint calls_pkey do update
    set conversation_id = coalesce(k.conversation_id, excluded.conversation_id),
      outcome = case when outbound.outcome_rank(excluded.outcome) < outbound.outcome_rank(k.outcome)
        then excluded.outcome else k.outcome end,
      duration_s = coalesce(excluded.duration_s, k.duration_s),
      summary = coalesce(excluded.summary, k.summary),
      transcript = coalesce(excluded.transcript, k.transcript),
      ended_at = coalesce(k.ended_at, excluded.ended_at)
$$;
revoke execute on function outbound.record_calls from public;
