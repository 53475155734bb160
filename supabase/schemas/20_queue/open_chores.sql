-- Returns the chores of a dispatcher that have something to do, by name: one look by small indexes instead of a query
-- per chore, most of which would find nothing. A chore that is named may still find nothing, because what waits is not
-- due or is locked; one that is not named would find nothing. In a database that is not the one that works only the
-- tick, which says so.
create function outbound.open_chores(p_by text default 'dispatcher')
returns text[]
language plpgsql stable security invoker set search_path = ''
-- One plan, made once per connection, that uses indexes whatever is stored.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  -- Once: each call of these functions is a query.
  v_leases_from constant timestamptz := outbound.leases_from();
  v_replies_from constant timestamptz := outbound.due_from('replies');
  v_history_from constant timestamptz := outbound.due_from('history');
  v_media_from constant timestamptz := outbound.due_from('received_media');
begin
  if not outbound.is_active_cell() then
    return array['tick'];
  end if;
  return array(
    select chore.name from (values
      (
        'tick',
        exists (
          select from outbound.queue as n
          where n.status in ('sending', 'unconfirmed') and n.lease_until <= now()
            and n.lease_until >= v_leases_from
        )
        or exists (
          select from outbound.queue as n where n.status = 'queued' and n.expires_at <= now()
        )
        or exists (
          select from outbound.webhook_deliveries as d
          where d.status = 'pending' and d.worker is not null and d.run_at <= now()
            and d.run_at >= v_leases_from
        )
        or exists (select from outbound.handoffs as h where h.status <> 'ended' and h.expires_at <= now())
        or exists (select from outbound.conversations as v where v.follow_up_at <= now())
        or exists (select from outbound.campaigns as g where g.open_until <= now())
        -- A tick has work whatever is due: it records that a dispatcher keeps time, and repairs turns.
        or not exists (
          select from outbound.settings as s
          where s.name = 'last_tick:' || p_by and s.updated_at > now() - interval '10 seconds'
        )
      ),
      (
        'outages',
        exists (
          select from outbound.sender_rate_state as p
          where p.unreachable_since is not null and p.blocked_until > now() - interval '2 minutes'
        )
        or exists (select from outbound.settings as s where s.name in ('outage:whatsapp', 'outage:voice'))
      ),
      (
        'events',
        exists (select from outbound.platform_events as e where e.applied_at is null and e.apply_at <= now())
      ),
      (
        'account_events',
        exists (select from outbound.account_events as e where e.applied_at is null)
        or exists (select from outbound.senders as s where s.stopped_until <= now())
      ),
      (
        'template_events',
        exists (select from outbound.template_events as e where e.applied_at is null)
        or exists (select from outbound.templates as t where t.unsettled)
      ),
      (
        'replies',
        exists (
          select from outbound.reply_schedule as s
          where s.due_at <= now() and s.due_at >= v_replies_from
        )
        or coalesce((
          select m.expires_at from outbound.contact_messages as m where m.status = 'queued'
          order by m.expires_at limit 1
        ) <= now(), false)
        or exists (
          select from outbound.contact_messages as m
          where m.status in ('sending', 'unconfirmed') and m.lease_until <= now()
        )
      ),
      (
        'received_media',
        exists (
          select from outbound.received_media_schedule as s where s.due_at <= now() and s.due_at >= v_media_from
        )
      ),
      (
        'deliveries',
        exists (select from outbound.webhook_deliveries as d where d.status = 'pending' and not d.deferred)
        or exists (select from outbound.due_endpoints(1, 1))
      ),
      ('pushes', exists (select from outbound.push_notices as p where p.run_at <= now())),
      ('agent_replies', exists (select from outbound.agent_replies as a where a.run_at <= now())),
      ('stopping', exists (select from outbound.campaigns as g where g.stopping_at is not null)),
      ('resends', exists (select from outbound.resends as r)),
      ('uploads', exists (select from outbound.upload_audiences as a where a.next_at <= now())),
      (
        'calls',
        exists (select from outbound.calls as k where k.check_at is not null)
        or exists (select from outbound.notification_facts as n where n.on_call)
      ),
      ('people', exists (select from outbound.named_people as n)),
      ('history', exists (select from outbound.history_changes as c where c.written_at >= v_history_from)),
      ('budgets', exists (select from outbound.budgets as b where b.checked_at < now() - interval '1 minute')),
      ('voice_sessions', exists (select from outbound.voice_sessions as v where v.check_at <= now()))
    ) as chore(name, is_open)
    where chore.is_open
  );
end
$$;
revoke execute on function outbound.open_chores from public;
