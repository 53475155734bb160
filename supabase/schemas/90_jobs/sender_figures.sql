-- Returns the figures of senders, and of campaigns whose template keeps them from being sent. Part of
-- operating_figures, which says what each is.
create function outbound.sender_figures(p_max int)
returns jsonb
language sql volatile security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
  select jsonb_build_object(
    'senders', (
      select jsonb_object_agg(state.name, (
        select count(*) from (
          select from outbound.senders as s
          where s.status = state.status and s.locked = state.locked limit p_max
        ) as found
      ))
      from (values ('active', 'active', false), ('stopped', 'stopped', false), ('locked', 'stopped', true))
        as state(name, status, locked)
    ),
    'senders_low', (
      select count(*) from (select from outbound.senders as s where s.quality = 'RED' limit p_max) as found
    ),
    'senders_warned', (
      select count(*) from (
        select from outbound.senders as s where s.platform_notice_at > now() - interval '7 days' limit p_max
      ) as found
    ),
    'campaigns_held', (
      select count(*) from (
        select from outbound.campaigns as g where g.held_reason is not null limit p_max
      ) as found
    )
  )
$$;
revoke execute on function outbound.sender_figures from public;
