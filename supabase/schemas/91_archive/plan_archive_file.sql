-- Goes on through the campaigns of the company whose turn it is, or of p_company_id unless it is null, and fixes those
-- of its next archive file (archive_after_days in contact_rules). Returns what it did: planned (there is a file to
-- work on), looked (call it again), waiting (another file of the company is being made), done (the company's turn is
-- over for a day), idle (no company has its turn). Each turn begins with the files of the company from which something
-- is to be erased by now.
--
-- A campaign is taken when it is over, older than the company wants, made in the month of the file, and has messages
-- in the database. One that ends late, or gets more contacts, is found by a later turn. A campaign of more than
-- p_max_rows messages takes several files.
create function outbound.plan_archive_file(p_file_id uuid, p_company_id uuid, p_max_rows int)
returns text
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  -- So many campaigns are looked at in a step: all that a file takes, where each has one message.
  v_looked_at constant int := greatest(p_max_rows, 2000);
  v_rules record;
  v_campaign record;
  v_after uuid;
  v_picked uuid[] := '{}'::uuid[];
  v_rows int := 0;
  v_seen int := 0;
  v_month date;
begin
  if not outbound.is_active_cell() then
    return 'idle';
  end if;
  select r.company_id, r.archive_after_days as days, r.keep_notifications_days, r.keep_transcripts_days,
    r.archive_cursor into v_rules
  from outbound.contact_rules as r
  where num_nonnulls(r.archive_after_days, r.keep_notifications_days, r.keep_transcripts_days) > 0
    and r.archive_at <= now() and (p_company_id is null or r.company_id = p_company_id)
  order by r.archive_at limit 1 for no key update skip locked;
  if not found then
    return 'idle';
  end if;
  if v_rules.archive_cursor is null then
    update outbound.archive_files as f set due_at = now()
    where f.company_id = v_rules.company_id and f.due_at is null and (
      f.people_from < date_trunc('day', now()) - make_interval(days => v_rules.keep_notifications_days)
      or f.transcripts_from < date_trunc('day', now()) - make_interval(days => v_rules.keep_transcripts_days)
    );
  end if;
  if v_rules.days is not null and exists (
    select from outbound.archive_files as f
    where f.company_id = v_rules.company_id and f.state in ('writing', 'deleting', 'restoring')
  ) then
    update outbound.contact_rules as r set archive_at = now() + interval '1 minute'
    where r.company_id = v_rules.company_id;
    return 'waiting';
  end if;

  v_after := v_rules.archive_cursor;
  for v_campaign in
    select g.id, case when g.completed_at < now() - make_interval(days => v_rules.days) and not exists (
        select from outbound.resends as r where r.company_id = g.company_id and r.resend_of = g.id
      ) then g.total - coalesce((
        select sum(c.total) from outbound.archived_campaigns as c
        where c.company_id = g.company_id and c.campaign_id = g.id
      ), 0) else 0 end as messages
    from outbound.campaigns as g
    where g.company_id = v_rules.company_id and g.id > coalesce(v_after, outbound.first_id_at('epoch'))
      and g.id < outbound.first_id_at(date_trunc('hour', now()) - make_interval(days => v_rules.days))
    order by g.id limit v_looked_at
  loop
    v_seen := v_seen + 1;
    exit when v_rows >= p_max_rows;
    if v_campaign.messages > 0 then
      exit when v_month <> outbound.month_of_id(v_campaign.id);
      v_month := outbound.month_of_id(v_campaign.id);
      v_picked := v_picked || v_campaign.id;
      v_rows := v_rows + v_campaign.messages;
      -- The next file takes what is left of it.
      exit when v_rows > p_max_rows;
    end if;
    v_after := v_campaign.id;
  end loop;
  insert into outbound.archive_files (company_id, id, month)
  select v_rules.company_id, p_file_id, v_month where v_month is not null;
  insert into outbound.archived_campaigns (company_id, campaign_id, file_id)
  select v_rules.company_id, picked.id, p_file_id from unnest(v_picked) as picked(id);
  if v_month is null and v_seen < v_looked_at then
    update outbound.contact_rules as r set archive_cursor = null, archive_at = now() + interval '1 day'
    where r.company_id = v_rules.company_id;
    return 'done';
  end if;
  update outbound.contact_rules as r set archive_cursor = v_after where r.company_id = v_rules.company_id;
  return case when v_month is null then 'looked' else 'planned' end;
end
$$;
revoke execute on function outbound.plan_archive_file from public;

-- Returns the month (UTC) in which an id of ours was made, as its first day.
create function outbound.month_of_id(p_id uuid)
returns date
language sql immutable parallel safe security invoker set search_path = ''
return date_trunc('month', outbound.time_of_id(p_id) at time zone 'UTC')::date;
revoke execute on function outbound.month_of_id from public;
