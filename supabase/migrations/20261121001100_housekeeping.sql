-- What keeps the database small and in step without anybody asking.

-- Deletes what nobody will ask for any more, at most p_limit rows of each kind a call. Campaigns and
-- notifications are the company's history and stay.
create function outbound.clean_up(p_limit int default 50000)
returns jsonb
language plpgsql security invoker set search_path = ''
as $$
declare
  v_keys int;
  v_usage int;
  v_logins int;
  v_events int;
  v_template_events int;
  v_attempts int;
  v_outgoing int;
  v_visitors int;
  v_conversations int;
begin
  delete from outbound.idempotency_keys as i where i.ctid = any (array(
    select o.ctid from outbound.idempotency_keys as o
    where o.created_at < now() - interval '24 hours' limit p_limit));
  get diagnostics v_keys = row_count;
  delete from outbound.usage as u where u.ctid = any (array(
    select o.ctid from outbound.usage as o where o.day < (now() at time zone 'UTC')::date - 35 limit p_limit));
  get diagnostics v_usage = row_count;
  delete from outbound.login_attempts as l where l.window_start < now() - interval '1 day';
  get diagnostics v_logins = row_count;
  -- The platform repeats an event for up to seven days; until then its row recognises the repetition.
  delete from outbound.provider_events as e where e.ctid = any (array(
    select o.ctid from outbound.provider_events as o where o.applied_at < now() - interval '8 days' limit p_limit));
  get diagnostics v_events = row_count;
  delete from outbound.template_events as e where e.ctid = any (array(
    select o.ctid from outbound.template_events as o where o.applied_at < now() - interval '8 days' limit p_limit));
  get diagnostics v_template_events = row_count;
  delete from outbound.delivery_attempts as a where a.ctid = any (array(
    select o.ctid from outbound.delivery_attempts as o
    where o.finished_at < now() - interval '90 days' limit p_limit));
  get diagnostics v_attempts = row_count;
  -- With their deliveries, also those that could not be delivered.
  delete from outbound.outgoing_events as e where e.ctid = any (array(
    select o.ctid from outbound.outgoing_events as o where o.created_at < now() - interval '30 days' limit p_limit));
  get diagnostics v_outgoing = row_count;
  delete from outbound.visitor_requests as r where r.ctid = any (array(
    select o.ctid from outbound.visitor_requests as o where o.window_start < now() - interval '1 day' limit p_limit));
  get diagnostics v_visitors = row_count;
  -- Opened by a visitor who then wrote nothing.
  delete from outbound.conversations as c where c.ctid = any (array(
    select o.ctid from outbound.conversations as o
    where o.last_sequence = 0 and o.created_at < now() - interval '1 day' limit p_limit));
  get diagnostics v_conversations = row_count;
  return jsonb_build_object('idempotency_keys', v_keys, 'usage', v_usage, 'login_attempts', v_logins,
    'provider_events', v_events, 'template_events', v_template_events,
    'delivery_attempts', v_attempts,
    'outgoing_events', v_outgoing, 'visitor_requests', v_visitors, 'empty_conversations', v_conversations);
end
$$;
revoke execute on function outbound.clean_up from public;
create index provider_events_applied_idx on outbound.provider_events (applied_at) where applied_at is not null;
create index delivery_attempts_finished_idx on outbound.delivery_attempts using brin (finished_at);

-- Business accounts whose templates nobody has looked at for an hour, or for a minute when a change was heard of. Each is handed to one caller only, with a
-- token that opens it: one of a sender that works, if there is any.
alter table outbound.senders
  add column templates_taken_at timestamptz,
  add column templates_wanted boolean not null default false;
create function outbound.take_accounts_to_sync(p_limit int)
returns table (company_id uuid, waba_id text, token_sealed text)
language sql security invoker set search_path = ''
as $$
  with due as (
    select s.company_id, s.id from outbound.senders as s
    where s.channel = 'whatsapp' and s.token_sealed is not null
      and (
        coalesce(s.templates_taken_at, s.created_at) <= now() - interval '1 hour'
        or s.templates_wanted and coalesce(s.templates_taken_at, '-infinity') <= now() - interval '1 minute'
      )
    order by s.id limit p_limit for no key update skip locked
  ),
  taken as (
    update outbound.senders as s set templates_taken_at = now(), templates_wanted = false
    from due where s.company_id = due.company_id and s.id = due.id
    returning s.company_id, s.waba_id, s.token_sealed, s.status, s.created_at
  )
  select distinct on (t.company_id, t.waba_id) t.company_id, t.waba_id, t.token_sealed
  from taken as t
  order by t.company_id, t.waba_id, t.status = 'stopped', t.created_at
$$;
revoke execute on function outbound.take_accounts_to_sync from public;
