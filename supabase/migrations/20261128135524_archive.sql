set local lock_timeout = '2s';
set check_function_bodies = off;

-- Has the object of an archive file that was replaced or deleted deleted from the media store too (take_media_leftovers).
-- It counts for no quota: the archive may not stop because a company's media are full.
create or replace function outbound.release_archive_object()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if old.object_id is not null then
    insert into outbound.media_leftovers (company_id, media_id, bytes, due_at)
    values (old.company_id, old.object_id, 0, now())
    on conflict on constraint media_leftovers_pkey do update set due_at = excluded.due_at;
  end if;
  return null;
end
$$;

revoke execute on function outbound.release_archive_object from public;

alter table outbound.contact_rules add column archive_after_days integer;

alter table outbound.contact_rules add column archive_at timestamp with time zone default now() not null;

alter table outbound.contact_rules add column archive_cursor uuid;

alter table outbound.contact_rules add constraint contact_rules_archive_check CHECK ((archive_after_days >= 30));

-- Companies whose files or campaigns are to be looked at (plan_archive_file).
create index contact_rules_archive_idx on outbound.contact_rules (archive_at)
  where num_nonnulls(archive_after_days, keep_notifications_days, keep_transcripts_days) > 0;

-- Files of messages that left the database (docs/archive.md): Parquet objects in the media store, one for a company and
-- a month, or more where a month has many messages or campaigns of it end late. The object's key is
-- `company_id/object_id`; each version of a file is an object of its own, and the one before is deleted by the trigger.
create table outbound.archive_files (
  company_id uuid not null,
  id uuid not null,
  -- The first day of the month (UTC) in which its campaigns were made.
  month date not null,
  -- writing: its campaigns are fixed; deleting: it holds their messages, which are deleted; archived: they are gone;
  -- restoring: they are put back.
  state text not null default 'writing',
  -- The rest of what is known of the object is null with it.
  object_id uuid,
  rows int,
  bytes int,
  -- Of the bytes, in hex.
  sha256 text,
  -- Of the notifications in it.
  first_id uuid,
  last_id uuid,
  -- The oldest notification in it that names a person, and the oldest call of which something said is left: null where
  -- there is none to erase (plan_archive_file).
  people_from timestamptz,
  transcripts_from timestamptz,
  -- When a dispatcher works on it next, or the end of its lease; null where there is nothing to do.
  due_at timestamptz default now(),
  -- Counts leases: its holder alone changes the row.
  fence int not null default 0,
  -- Why the last step failed, as a sentence.
  problem text,
  created_at timestamptz not null default now(),
  archived_at timestamptz,
  constraint archive_files_pkey primary key (company_id, id),
  constraint archive_files_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint archive_files_state_check check (
    state in ('writing', 'deleting', 'archived', 'restoring')
    and (state in ('writing', 'restoring') or num_nulls(object_id, rows, bytes, sha256, first_id, last_id) = 0)
  )
);

-- One is made at a time of a company: no message is in two.
create unique index archive_files_making_idx on outbound.archive_files (company_id)
  where state in ('writing', 'deleting', 'restoring');

create index archive_files_due_idx on outbound.archive_files (due_at) where due_at is not null;

-- Those that may hold a person, the newest messages first.
create index archive_files_last_idx on outbound.archive_files (company_id, last_id) where object_id is not null;

alter table outbound.archive_files enable row level security;

create trigger archive_files_release_replaced after update on outbound.archive_files
  for each row when (old.object_id is distinct from new.object_id)
  execute function outbound.release_archive_object();

create trigger archive_files_release_deleted after delete on outbound.archive_files
  for each row execute function outbound.release_archive_object();

-- The campaigns of archive files. The numbers are those of the notifications that are in the file and not in the
-- database any more, by state: with those that are left they make the counters of the campaign (verify_campaign).
create table outbound.archived_campaigns (
  company_id uuid not null,
  campaign_id uuid not null,
  file_id uuid not null,
  archived_at timestamptz not null default now(),
  total int not null default 0,
  sent int not null default 0,
  delivered int not null default 0,
  read int not null default 0,
  failed int not null default 0,
  cancelled int not null default 0,
  skipped int not null default 0,
  replied int not null default 0,
  constraint archived_campaigns_pkey primary key (company_id, campaign_id, file_id),
  constraint archived_campaigns_file_fkey foreign key (company_id, file_id)
    references outbound.archive_files (company_id, id) on delete cascade,
  constraint archived_campaigns_check check (
    total = sent + failed + cancelled + skipped and least(sent, failed, cancelled, skipped, read, replied) >= 0
    and read <= delivered and delivered <= sent
  )
);

create index archived_campaigns_file_idx on outbound.archived_campaigns (company_id, file_id);

alter table outbound.archived_campaigns enable row level security;

-- People who were erased and may still be in a file: it is written without them, and readers leave them out meanwhile.
create table outbound.archive_erasures (
  company_id uuid not null,
  file_id uuid not null,
  address text not null,
  constraint archive_erasures_pkey primary key (company_id, file_id, address),
  constraint archive_erasures_file_fkey foreign key (company_id, file_id)
    references outbound.archive_files (company_id, id) on delete cascade
);

alter table outbound.archive_erasures enable row level security;

-- Compares the counters of a campaign with what its notifications really are. They are equal, or there is a fault.
-- inconsistent: how many of its notifications have facts that contradict their state, and one more if the campaign
-- itself is complete and is not, or the other way round; none, or there is a fault. Notifications that were archived
-- count as when they were deleted.
create or replace function outbound.verify_campaign(p_company_id uuid, p_campaign_id uuid)
returns table (counter text, stored int, actual int)
language sql stable security invoker set search_path = ''
as $$
  select c.counter, c.stored, c.actual::int
  from outbound.campaigns as g
  cross join lateral (
    select
      count(*) as total,
      count(*) filter (where n.status in ('scheduled', 'queued')) as pending,
      count(*) filter (where n.status in ('sending', 'unconfirmed')) as processing,
      count(*) filter (where n.status in ('sent', 'delivered', 'read')) as sent,
      count(*) filter (where n.status in ('delivered', 'read')) as delivered,
      count(*) filter (where n.status = 'read') as read,
      count(*) filter (where n.status = 'failed') as failed,
      count(*) filter (where n.status = 'cancelled') as cancelled,
      count(*) filter (where n.status = 'skipped') as skipped,
      count(*) filter (where n.replied_at is not null) as replied,
      count(*) filter (where (
        n.status in ('scheduled', 'queued', 'sending', 'unconfirmed', 'sent', 'delivered', 'read', 'failed',
          'cancelled', 'skipped')
        -- A notification that may still leave needs somewhere to go.
        and (num_nonnulls(n.number, n.user_id) > 0 or n.status not in ('scheduled', 'queued', 'sending', 'unconfirmed'))
        and (n.status = 'sending') = (n.worker is not null)
        and (n.status not in ('sent', 'delivered', 'read') or n.sent_at is not null)
        and (n.status not in ('delivered', 'read') or n.delivered_at is not null)
        and (n.status = 'read') = (n.read_at is not null)
        and (n.status = 'failed') = (n.failed_at is not null) and (n.status <> 'failed' or n.error_reason is not null)
        and (n.status = 'skipped') = (n.skipped_at is not null) and (n.status <> 'skipped' or n.error_code is not null)
        and (n.held_for_quality is null or n.status = 'sent')
      ) is not true) as inconsistent
    from outbound.notifications as n where n.company_id = g.company_id and n.campaign_id = g.id
  ) as a
  cross join lateral (
    select coalesce(sum(o.total), 0) as total, coalesce(sum(o.sent), 0) as sent,
      coalesce(sum(o.delivered), 0) as delivered, coalesce(sum(o.read), 0) as read,
      coalesce(sum(o.failed), 0) as failed, coalesce(sum(o.cancelled), 0) as cancelled,
      coalesce(sum(o.skipped), 0) as skipped, coalesce(sum(o.replied), 0) as replied
    from outbound.archived_campaigns as o where o.company_id = g.company_id and o.campaign_id = g.id
  ) as o
  cross join lateral (values
    ('total', g.total, a.total + o.total), ('pending', g.pending, a.pending),
    ('processing', g.processing, a.processing), ('sent', g.sent, a.sent + o.sent),
    ('delivered', g.delivered, a.delivered + o.delivered), ('read', g.read, a.read + o.read),
    ('failed', g.failed, a.failed + o.failed), ('cancelled', g.cancelled, a.cancelled + o.cancelled),
    ('skipped', g.skipped, a.skipped + o.skipped), ('replied', g.replied, a.replied + o.replied),
    ('inconsistent', 0, a.inconsistent + (
      (g.pending + g.processing = 0 and g.open_until is null) <> (g.completed_at is not null)
    )::int + (
      -- A notification that has left the queue for good may not be in it.
      select count(*) from outbound.queue as q
      join outbound.notification_facts as f on f.company_id = q.company_id and f.id = q.id
      where q.company_id = g.company_id and q.campaign_id = g.id and f.status is not null
    ))
  ) as c(counter, stored, actual)
  where g.company_id = p_company_id and g.id = p_campaign_id
$$;

revoke execute on function outbound.verify_campaign from public;

-- Erases what is known about a person, under all the given addresses, and keeps the person suppressed by hashes of
-- them. Of a notification, only what happened and when stays; one that still waits is skipped (erased), one of unknown
-- outcome fails. Archive files are written without the person soon after (archive_erasures). The platform's message ids go too, because a WhatsApp id contains the recipient's number.
-- p_contact_id: the person's contact, in place of a number and a user id; null: these.
-- p_addresses: what addresses_of_person returned a moment ago; p_hashes: theirs.
-- p_events: the ids of outgoing events that name the person, written before p_since; later ones are searched here.
-- Returns outcome: erased (with counts); changed (the person has other addresses or notifications by now: read them
-- again); on_its_way (a message is being sent, or a call is going on: retry after retry_after_s); unknown (the company
-- has no such contact). Only `erased` changes anything.
create or replace function outbound.erase_person(
  p_company_id uuid, p_number text, p_user_id text, p_contact_id uuid, p_addresses text[], p_hashes text[],
  p_events text[], p_since timestamptz, p_actor text, p_request_id text, out outcome text, out retry_after_s int,
  out counts jsonb
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_ids uuid[];
  v_messages uuid[];
  v_contacts uuid[];
begin
  -- A restore that puts rows of the person back is over before this begins, or blanks them after it (archive_erasures).
  perform from outbound.archive_files as f
  where f.company_id = p_company_id order by f.id for no key update;
  -- Accepting locks its key first: a notification that is accepted meanwhile is either seen here, or sees the hashes.
  perform from outbound.api_keys as k
  where k.company_id = p_company_id and k.is_active order by k.key_hash for no key update;
  if outbound.addresses_of_person(p_company_id, p_number, p_user_id, p_contact_id) <> p_addresses then
    outcome := 'changed';
    return;
  end if;
  select l.ids, l.retry_after_s into v_ids, retry_after_s
  from outbound.lock_notifications_to(p_company_id, p_addresses) as l;
  if v_ids is null then
    outcome := 'changed';
    return;
  end if;
  -- Out of the lock order, so only those that can be locked at once: one that is locked is being sent, or just was.
  v_messages := array(
    select m.id from outbound.contact_messages as m
    where m.company_id = p_company_id and (m.number = any (p_addresses) or m.user_id = any (p_addresses))
      and m.status <> 'sending'
    order by m.id for update skip locked
  );
  if exists (
    select from outbound.contact_messages as m
    where m.company_id = p_company_id and (m.number = any (p_addresses) or m.user_id = any (p_addresses))
      and m.id <> all (v_messages)
  ) then
    retry_after_s := greatest(retry_after_s, 5);
  end if;
  if retry_after_s is not null then
    outcome := 'on_its_way';
    return;
  end if;

  v_contacts := outbound.contacts_of_addresses(p_company_id, p_addresses) || p_contact_id;
  counts := outbound.erase_notifications(p_company_id, v_ids)
    || jsonb_build_object('events', outbound.delete_events_about(
      p_company_id, p_addresses || outbound.chats_of_contacts(p_company_id, v_contacts)
        || outbound.handoffs_of_person(p_company_id, p_addresses, v_contacts)::text[], p_events, p_since))
    || outbound.delete_contact_data(p_company_id, p_addresses, v_messages)
    || jsonb_build_object('contacts', outbound.delete_people(p_company_id, p_addresses, p_contact_id),
      'archive_files', outbound.erase_from_archive(p_company_id, p_addresses));
  -- Without an address, there was nothing but the contact.
  if p_addresses = '{}' and counts ->> 'contacts' = '0' then
    outcome := 'unknown';
    return;
  end if;
  outcome := 'erased';
  insert into outbound.erased_contacts (company_id, address_hash)
  select p_company_id, hash from unnest(p_hashes) as hash order by hash
  on conflict on constraint erased_contacts_pkey do update set erased_at = now();
  perform outbound.write_audit(p_company_id, p_actor, 'contact.erased', null, null, counts, p_request_id);
end
$$;

revoke execute on function outbound.erase_person from public;

-- Counts a company's notifications for the campaigns of an archive file: p_sign 1 before they are deleted from the
-- database, -1 after they were put back. The caller has locked or just inserted them.
create or replace function outbound.count_archived(p_company_id uuid, p_file_id uuid, p_ids uuid[], p_sign int)
returns void
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per notification.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  update outbound.archived_campaigns as c
  set total = c.total + d.total * p_sign, sent = c.sent + d.sent * p_sign,
    delivered = c.delivered + d.delivered * p_sign, read = c.read + d.read * p_sign,
    failed = c.failed + d.failed * p_sign, cancelled = c.cancelled + d.cancelled * p_sign,
    skipped = c.skipped + d.skipped * p_sign, replied = c.replied + d.replied * p_sign
  from (
    select n.campaign_id, count(*) as total, count(*) filter (where n.status in ('sent', 'delivered', 'read')) as sent,
      count(*) filter (where n.status in ('delivered', 'read')) as delivered,
      count(*) filter (where n.status = 'read') as read, count(*) filter (where n.status = 'failed') as failed,
      count(*) filter (where n.status = 'cancelled') as cancelled,
      count(*) filter (where n.status = 'skipped') as skipped, count(n.replied_at) as replied
    from outbound.notification_facts as n where n.company_id = p_company_id and n.id = any (p_ids)
    group by n.campaign_id
  ) as d
  where c.company_id = p_company_id and c.campaign_id = d.campaign_id and c.file_id = p_file_id;
end
$$;

revoke execute on function outbound.count_archived from public;

-- Has every archive file of a company written without a person. Returns how many files there are: which of them hold the
-- person is found out then. A step of erase_person.
create or replace function outbound.erase_from_archive(p_company_id uuid, p_addresses text[])
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_files int;
begin
  insert into outbound.archive_erasures (company_id, file_id, address)
  select f.company_id, f.id, a.address
  from outbound.archive_files as f cross join unnest(p_addresses) as a(address)
  where f.company_id = p_company_id
  on conflict on constraint archive_erasures_pkey do nothing;
  -- One that is worked on now is found due by its worker.
  update outbound.archive_files as f set due_at = now() where f.company_id = p_company_id and f.due_at is null;
  select count(*) into v_files from outbound.archive_files as f where f.company_id = p_company_id;
  return v_files;
end
$$;

revoke execute on function outbound.erase_from_archive from public;

-- Goes on through the campaigns of the company whose turn it is, or of p_company_id unless it is null, and fixes those of its next archive
-- file (archive_after_days in contact_rules). Returns what it did: planned (there is a file to work on), looked (call it
-- again), waiting (another file of the company is being made), done (the company's turn is over for a day), idle (no
-- company has its turn). Each turn begins with the files of the company from which something is to be erased by now.
--
-- A campaign is taken when it is over, older than the company wants, made in the month of the file, and has messages in
-- the database. One that ends late, or gets more contacts, is found by a later turn. A campaign of more than p_max_rows
-- messages takes several files.
create or replace function outbound.plan_archive_file(p_file_id uuid, p_company_id uuid, p_max_rows int)
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
create or replace function outbound.month_of_id(p_id uuid)
returns date
language sql immutable parallel safe security invoker set search_path = ''
return date_trunc('month', outbound.time_of_id(p_id) at time zone 'UTC')::date;

revoke execute on function outbound.month_of_id from public;

reset check_function_bodies;
