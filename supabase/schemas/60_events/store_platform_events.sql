-- Takes events before the webhook responds: applies what apply_receipts can apply at once, and stores the others for
-- apply_platform_events. Duplicates, disorder and events about messages of other systems are normal. p_events:
-- [{dedupe_key, channel, waba_id, phone_number_id, foreign_reference, platform_message_id, company_id, notification_id,
-- fence, status, occurred_at, error_code, retryable, reason, call, pricing}, …]. Returns how many were stored.
--
-- An account may be shared with other systems, so events about their messages arrive here too. Such an event is
-- counted and not stored: no sender of ours has its number (or its account, where the number is missing) and its
-- reference names no company of ours; or it carries a reference that we did not write (foreign_reference).
create function outbound.store_platform_events(p_events jsonb)
returns int
language plpgsql security invoker set search_path = ''
-- Each sender is looked up by an index, however many there are.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_named_accounts text[];
  v_companies uuid[];
  v_numbers text[];
  v_accounts text[];
  v_unknown_senders bigint;
  v_unknown_messages bigint;
  v_stored int;
  v_applied int[] := '{}'::int[];
begin
  v_named_accounts := array(select distinct e ->> 'waba_id' from jsonb_array_elements(p_events) as e);
  perform outbound.record_account_events(v_named_accounts);
  begin
    v_applied := outbound.apply_receipts(p_events);
  exception when lock_not_available then
    null; -- They are stored.
  end;
  if cardinality(v_applied) = jsonb_array_length(p_events) then
    return 0;
  end if;

  -- Look up each account, number and company once, however many events are about it.
  v_accounts := array(
    select distinct s.waba_id from outbound.senders as s where s.waba_id = any (v_named_accounts)
  );
  v_numbers := array(
    select distinct s.platform_id from outbound.senders as s
    where s.channel = 'whatsapp' and s.platform_id = any (
      array(select distinct e ->> 'phone_number_id' from jsonb_array_elements(p_events) as e)
    )
  );
  v_companies := array(
    select c.id from outbound.companies as c
    where c.id = any (array(select distinct (e ->> 'company_id')::uuid from jsonb_array_elements(p_events) as e))
  );

  with event as materialized (
    select e.*, coalesce(e.foreign_reference, false) as is_foreign,
      coalesce(e.channel <> 'whatsapp' or e.company_id = any (v_companies)
        or case when e.phone_number_id is null then e.waba_id = any (v_accounts)
          else e.phone_number_id = any (v_numbers) end, false) as is_of_ours
    from rows from (jsonb_to_recordset(p_events) as (
      dedupe_key text, channel text, waba_id text, phone_number_id text, foreign_reference boolean,
      platform_message_id text, company_id uuid, notification_id uuid, fence int, status text, occurred_at timestamptz,
      error_code text, retryable boolean, reason text, call json, pricing jsonb
    )) with ordinality as e(
      dedupe_key, channel, waba_id, phone_number_id, foreign_reference, platform_message_id, company_id, notification_id,
      fence, status, occurred_at, error_code, retryable, reason, call, pricing, ord
    )
    where e.ord <> all (v_applied)
  ),
  stored as (
    insert into outbound.platform_events (
      dedupe_key, channel, waba_id, platform_message_id, company_id, notification_id, fence, status, occurred_at,
      error_code, retryable, reason, call, pricing
    )
    select e.dedupe_key, e.channel, e.waba_id, e.platform_message_id, e.company_id, e.notification_id,
      e.fence, e.status, e.occurred_at, e.error_code, coalesce(e.retryable, false), e.reason, e.call, e.pricing
    from event as e where e.is_of_ours and not e.is_foreign
    order by e.dedupe_key
    on conflict on constraint platform_events_dedupe_key do nothing
    returning 1
  )
  select count(*) filter (where not e.is_of_ours), count(*) filter (where e.is_of_ours and e.is_foreign),
    (select count(*)::int from stored)
  into v_unknown_senders, v_unknown_messages, v_stored
  from event as e;
  perform outbound.count_foreign_events('unknown_message', v_unknown_messages);
  perform outbound.count_foreign_events('unknown_sender', v_unknown_senders);
  return v_stored;
end
$$;
revoke execute on function outbound.store_platform_events from public;
