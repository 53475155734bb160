-- Makes claims look at the files of these companies at a time, at none that is past (due_from), unless they look earlier
-- anyway.
create function outbound.schedule_received_media(p_companies uuid[], p_at timestamptz)
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.received_media_schedule as s (company_id, due_at)
  select w.company_id, greatest(p_at, clock_timestamp()) from unnest(p_companies) as w(company_id)
  group by w.company_id order by w.company_id
  on conflict on constraint received_media_schedule_pkey do update set due_at = least(s.due_at, excluded.due_at)
$$;
revoke execute on function outbound.schedule_received_media from public;
