-- Leases up to p_limit replies that are due to p_worker for p_lease: each becomes `sending`, its attempt and its fence
-- count up. Takes the first of each sender, then the second of each …, so that one company's many replies delay no
-- other company's. Nothing of the senders p_except, of stopped ones, and of those that the platform found too fast
-- within the last three seconds. Looks only at senders whose time in reply_schedule has come, in rounds: where those of
-- a round may send nothing, or all that they have due is locked, the next senders are looked at. Says when it looks at
-- them again: at stopped ones once they are active again (plan_changed_senders).
-- Passes by rows that another claim has locked.
create function outbound.claim_replies(p_worker text, p_limit int, p_lease interval, p_except uuid[] default '{}')
returns table (
  company_id uuid, id uuid, fence int, attempt smallint, number text, user_id text, kind text, text text, content jsonb,
  context_message_id text, sender_id uuid, platform_id text, token_sealed text, trace text
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
#variable_conflict use_column
declare
  v_companies uuid[];
  v_senders uuid[];
  v_due_from timestamptz := outbound.due_from('replies');
  v_is_idle boolean;
begin
  if not outbound.is_active_cell() then
    return;
  end if;
  for v_round in 1..10 loop
    -- In a statement of its own: what was queued before its sender's row was released is seen by the next one. The
    -- first round leaves senders to a claim that runs at the same time; a round that found nothing kept it from none.
    select array_agg(s.company_id), array_agg(s.sender_id), max(s.due_at) into v_companies, v_senders, v_due_from
    from (
      select s.company_id, s.sender_id, s.due_at from outbound.reply_schedule as s
      where s.due_at >= v_due_from and s.due_at <= now() and s.sender_id <> all (p_except)
      order by s.due_at limit case when v_round = 1 then 64 else 512 end for update skip locked
    ) as s;
    exit when v_senders is null;
    return query select l.* from outbound.lease_replies(p_worker, p_limit, p_lease, v_companies, v_senders) as l;
    v_is_idle := not found;
    perform outbound.reschedule_replies(
      v_companies, v_senders, case when v_is_idle then clock_timestamp() + interval '100 ms' else '-infinity' end);
    exit when not v_is_idle;
  end loop;
end
$$;
revoke execute on function outbound.claim_replies from public;

-- Whether a sender's replies may leave: it is active, and the platform did not find it too fast within the last three
-- seconds.
create function outbound.may_reply(p_sender outbound.senders)
returns boolean
language sql stable security invoker set search_path = ''
return p_sender.status = 'active' and not exists (
  select from outbound.sender_rate_state as p
  where p.company_id = p_sender.company_id and p.sender_id = p_sender.id
    and p.throttled_at > now() - interval '3 seconds'
);
revoke execute on function outbound.may_reply from public;
