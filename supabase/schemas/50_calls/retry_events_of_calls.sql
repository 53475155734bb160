-- Makes events about these conversations due again now. A failed call start is reported without our reference,
-- possibly before we store the conversation id. An event that is locked is being applied by a transaction that may
-- wait for the notifications of this one, so it is passed by.
create function outbound.retry_events_of_calls(p_conversations text[])
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.platform_events as e set apply_at = now()
  from (
    select w.id from outbound.platform_events as w
    where w.applied_at is null and w.dedupe_key = any (array(
      select 'voice:' || c.id || ':call_initiation_failure' from unnest(p_conversations) as c(id)
    ))
    for no key update skip locked
  ) as waiting
  where e.id = waiting.id
$$;
revoke execute on function outbound.retry_events_of_calls from public;
