set local lock_timeout = '2s';
set check_function_bodies = off;

-- Returns + and the digits by which a number's country is known: its calling code, with the next three digits in North
-- America, and the next one in Russia and Kazakhstan. Null for null. accept_notifications writes out its expression.
create or replace function outbound.area_of(p_number text)
returns text
language sql immutable security invoker set search_path = ''
return '+' || left(p_number, case when left(p_number, 1) = '1' then 4
  when left(p_number, 2) = any ('{21,22,23,24,25,26,29,35,37,38,42,50,59,67,68,69,80,85,87,88,89,96,97,99}') then 3
  else 2 end);

revoke execute on function outbound.area_of from public;

-- Deletes the campaigns, notifications and attempts of a deleted company. They have no foreign keys:
-- accept_notifications writes a campaign together with its notifications, of a company whose key it has locked, and
-- checking that again for each row took a third of its time. The schedule of its files has none either.
create or replace function outbound.delete_company_data()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  delete from outbound.delivery_attempts as a where a.company_id = old.id;
  delete from outbound.queue as q where q.company_id = old.id;
  delete from outbound.history_changes as c where c.company_id = old.id;
  delete from outbound.notification_facts as n where n.company_id = old.id;
  delete from outbound.bulk_campaigns as b where b.company_id = old.id;
  delete from outbound.campaigns as g where g.company_id = old.id;
  delete from outbound.received_media_schedule as r where r.company_id = old.id;
  return null;
end
$$;

revoke execute on function outbound.delete_company_data from public;

-- Deletes the notes of conversations that were deleted, of either kind.
create or replace function outbound.delete_notes()
returns trigger
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per conversation.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  delete from outbound.conversation_notes as n
  using old_rows as c
  where n.company_id = c.company_id and n.conversation_id = c.id;
  return null;
end
$$;

revoke execute on function outbound.delete_notes from public;

-- Deletes the files of people's messages that were deleted, and has none of them fetched.
create or replace function outbound.delete_received_media()
returns trigger
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per message.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  delete from outbound.media_files as f
  using old_rows as m
  where f.company_id = m.company_id and f.message_id = m.id and m.direction = 'in';
  delete from outbound.received_media as r
  using old_rows as m
  where r.company_id = m.company_id and r.message_id = m.id and m.direction = 'in';
  return null;
end
$$;

revoke execute on function outbound.delete_received_media from public;

-- Folds a text for searching: small letters, no accents, single spaces.
create or replace function outbound.fold_text(p_text text)
returns text
language sql immutable strict parallel safe security invoker set search_path = ''
return btrim(regexp_replace(
  regexp_replace(lower(normalize(p_text, nfkd)), '[\u0300-\u036f]+', '', 'g'), '\s+', ' ', 'g'
));

revoke execute on function outbound.fold_text from public;

-- Records that the platform changed a sender's quality or limit, at the platform's time.
create or replace function outbound.keep_sender_history()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
declare
  v_at constant timestamptz := case when old.quality is distinct from new.quality then new.quality_at
    else new.messaging_limit_at end;
begin
  insert into outbound.sender_history (company_id, sender_id, at, quality, messaging_limit)
  values (new.company_id, new.id, case when isfinite(v_at) then v_at else now() end, new.quality, new.messaging_limit);
  return null;
end
$$;

revoke execute on function outbound.keep_sender_history from public;

-- Plans the turns of senders whose state or rate changed, and has claims look at the replies of those that are active
-- again. A statement trigger, so that the rows of several senders are locked in their order.
create or replace function outbound.plan_changed_senders()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  -- Whatever their time is: a claim that looks at them at this moment still sees them stopped.
  update outbound.reply_schedule as s set due_at = now()
  from (
    select w.company_id, w.sender_id
    from (
      select n.company_id, n.id from new_rows as n join old_rows as o on o.company_id = n.company_id and o.id = n.id
      where n.status = 'active' and o.status <> 'active' order by n.company_id, n.id
    ) as again
    cross join lateral (
      select r.company_id, r.sender_id from outbound.reply_schedule as r
      where r.company_id = again.company_id and r.sender_id = again.id for no key update
    ) as w
  ) as again
  where s.company_id = again.company_id and s.sender_id = again.sender_id;

  perform outbound.schedule_senders(array_agg(changed.company_id), array_agg(changed.id), true)
  from (
    select n.company_id, n.id, n.status, n.over_budget, n.rate_per_second, n.concurrency from new_rows as n
    except
    select o.company_id, o.id, o.status, o.over_budget, o.rate_per_second, o.concurrency from old_rows as o
  ) as changed;
  return null;
end
$$;

revoke execute on function outbound.plan_changed_senders from public;

-- Appends to history_changes what an update of notifications' facts changes: +1 in the hour of each state that a
-- notification reaches, −1 in the hour of one that is taken back. What both versions of a row say adds up to nothing,
-- and is not written. Old and new rows are not joined: the kept plan would compare each with every other
-- (report_notifications).
create or replace function outbound.record_history()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.history_changes (company_id, at, area, metric, reason, campaign_ids, counts)
  select c.company_id, c.at, c.area, c.metric, c.reason, array_agg(c.campaign_id), array_agg(c.count)
  from (
    select f.company_id, f.campaign_id, date_bin('1 hour', coalesce(s.at, f.created_at), 'epoch') as at, f.area,
      s.metric, s.reason, sum(f.count)::int as count
    from (
      select 1 as count, n.company_id, n.campaign_id, n.area, n.status, n.created_at, n.sent_at, n.delivered_at,
        n.read_at, n.failed_at, n.skipped_at, n.cancelled_at, n.replied_at, n.error_code
      from new_rows as n where n.area is not null and num_nonnulls(n.status, n.replied_at) > 0
      union all
      select -1, o.company_id, o.campaign_id, o.area, o.status, o.created_at, o.sent_at, o.delivered_at,
        o.read_at, o.failed_at, o.skipped_at, o.cancelled_at, o.replied_at, o.error_code
      from old_rows as o where o.area is not null and num_nonnulls(o.status, o.replied_at) > 0
    ) as f
    cross join lateral (values
      ('sent', f.sent_at, '', f.status in ('sent', 'delivered', 'read')),
      ('delivered', f.delivered_at, '', f.status in ('delivered', 'read')),
      ('read', f.read_at, '', f.status = 'read'),
      ('failed', f.failed_at, coalesce(f.error_code, 'unknown'), f.status = 'failed'),
      ('skipped', f.skipped_at, coalesce(f.error_code, 'unknown'), f.status = 'skipped'),
      ('cancelled', f.cancelled_at, '', f.status = 'cancelled'),
      ('replied', f.replied_at, '', f.replied_at is not null)
    ) as s(metric, at, reason, is_so)
    where s.is_so
    group by 1, 2, 3, 4, 5, 6
    having sum(f.count) <> 0
  ) as c
  group by 1, 2, 3, 4, 5;
  return null;
end
$$;

revoke execute on function outbound.record_history from public;

-- Has the objects of deleted files deleted from the media store too (take_media_leftovers).
create or replace function outbound.release_media_objects()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.media_leftovers (company_id, media_id, bytes, due_at)
  select f.company_id, f.id, f.bytes, now() from old_rows as f
  on conflict on constraint media_leftovers_pkey do update set due_at = excluded.due_at;
  return null;
end
$$;

revoke execute on function outbound.release_media_objects from public;

-- Returns what a GIN index keeps of a text: its folded groups of three characters, each with the company in its hash, so
-- that a search reads entries of its own company alone. A shorter text is one term. Two terms may share a hash: the
-- search compares the text as well. In PL/pgSQL, because as a query it took nine times as long, for each indexed row.
create or replace function outbound.search_terms(p_company_id uuid, p_text text)
returns int[]
language plpgsql immutable strict parallel safe security invoker set search_path = ''
as $$
declare
  v_company constant text := p_company_id::text;
  v_text constant text := outbound.fold_text(p_text);
  v_terms int[] := array[]::int[];
begin
  for v_position in 1 .. greatest(length(v_text) - 2, 1) loop
    v_terms := v_terms || hashtextextended(v_company || substr(v_text, v_position, 3), 0)::bit(32)::int;
  end loop;
  return v_terms;
end
$$;

revoke execute on function outbound.search_terms from public;

-- Returns what a GIN index keeps of tags: the hash of each, with the company in it (search_terms).
create or replace function outbound.tag_terms(p_company_id uuid, p_tags text[])
returns int[]
language sql immutable strict parallel safe security invoker set search_path = ''
return array(
  select hashtextextended(p_company_id::text || '#' || tag, 0)::bit(32)::int from unnest(p_tags) as tag
);

revoke execute on function outbound.tag_terms from public;

alter table outbound.companies add column learn_contacts boolean default false not null;

-- Campaigns of more than one message, as far as was known when the first was accepted, and those whose messages have
-- times of their own. The history counts each of them by itself (fold_history). Apart from campaigns, which have a row for
-- each request of one message, and whose rows functions return: a column that is added to it while they run fails them.
create table outbound.bulk_campaigns (
  company_id uuid not null,
  campaign_id uuid not null,
  -- {recipient_time, day, spread_over} of the request; null where all messages are for one time.
  timing jsonb,
  constraint bulk_campaigns_pkey primary key (company_id, campaign_id)
);

alter table outbound.bulk_campaigns enable row level security;

-- Campaigns that are being moved to another time, some thousand notifications at a time (move_campaign,
-- move_notifications).
create table outbound.campaign_moves (
  company_id uuid not null,
  campaign_id uuid not null,
  shift_s float8 not null,
  -- The last notification that was moved, and the last one to move; null where none waits.
  after_id uuid not null default '00000000-0000-0000-0000-000000000000',
  upto_id uuid,
  constraint campaign_moves_pkey primary key (company_id, campaign_id),
  constraint campaign_moves_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);

alter table outbound.campaign_moves enable row level security;

-- Uploads to an audience that were started.
create table outbound.upload_audiences (
  company_id uuid not null,
  upload_id uuid not null,
  -- How many members were fixed for it.
  members int not null,
  -- Of the key that the notifications count for.
  api_key_id uuid not null,
  started_by text not null,
  -- When a dispatcher stores the next batches; while one does, when another takes over. Null when none has to.
  next_at timestamptz,
  constraint upload_audiences_pkey primary key (company_id, upload_id),
  constraint upload_audiences_upload_fkey foreign key (company_id, upload_id)
    references outbound.campaign_uploads (company_id, id) on delete cascade
);

-- Audiences that a dispatcher goes on with (open_chores).
create index upload_audiences_next_idx on outbound.upload_audiences (next_at) where next_at is not null;

alter table outbound.upload_audiences enable row level security;

-- The members of an upload's audience as they were when it was started, by batch. complete_upload deletes them.
create table outbound.upload_members (
  company_id uuid not null,
  upload_id uuid not null,
  -- From 1.
  batch int not null,
  -- A contact may be erased or merged since. Nothing is sent for it then.
  contact_ids uuid[] not null,
  constraint upload_members_pkey primary key (company_id, upload_id, batch),
  constraint upload_members_upload_fkey foreign key (company_id, upload_id)
    references outbound.campaign_uploads (company_id, id) on delete cascade
);

alter table outbound.upload_members enable row level security;

-- Notes of members for each other about a conversation: a chat, or a thread (contact_threads). They are never sent.
create table outbound.conversation_notes (
  company_id uuid not null,
  id uuid not null,
  -- Of one of two tables: delete_notes deletes.
  conversation_id uuid not null,
  -- As in audit_log.
  actor text not null,
  text text not null,
  created_at timestamptz not null default now(),
  constraint conversation_notes_pkey primary key (company_id, id),
  constraint conversation_notes_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint conversation_notes_text_check check (length(text) between 1 and 4000)
);

create index conversation_notes_conversation_idx on outbound.conversation_notes (company_id, conversation_id, id);

alter table outbound.conversation_notes enable row level security;

-- Texts that members choose from when they reply, with variables such as {{name}}.
create table outbound.canned_replies (
  company_id uuid not null,
  id uuid not null,
  -- Typed to find it, in small letters.
  shortcut text not null,
  text text not null,
  -- As in audit_log.
  created_by text not null,
  updated_at timestamptz not null default now(),
  constraint canned_replies_pkey primary key (company_id, id),
  constraint canned_replies_shortcut_key unique (company_id, shortcut),
  constraint canned_replies_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);

alter table outbound.canned_replies enable row level security;

-- A person of a company.
create table outbound.contacts (
  company_id uuid not null,
  id uuid not null,
  name text,
  -- A language tag, such as es or pt_BR.
  language text,
  -- An IANA name; null: by the number.
  timezone text,
  -- By ISO 3166-1; null: by the number.
  country text,
  -- By name (contact_attributes): a text, a number, true or false, or a date as YYYY-MM-DD.
  attributes jsonb not null default '{}',
  -- In their order, each once.
  tags text[] not null default '{}',
  -- Where it came from first: operator, api, import, send, platform, visitor.
  source text not null,
  first_seen_at timestamptz not null default now(),
  -- When the person last wrote, or was last named by a request, a file or a website.
  last_seen_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint contacts_pkey primary key (company_id, id),
  constraint contacts_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint contacts_source_check check (source in ('operator', 'api', 'import', 'send', 'platform', 'visitor'))
) with (fillfactor = 80);

-- The list of a company, the newest first.
create index contacts_first_seen_idx on outbound.contacts (company_id, first_seen_at, id);

-- People by a part of their name (listContacts). Terms carry the company, so a search reads its own people only.
create index contacts_name_idx on outbound.contacts using gin (outbound.search_terms(company_id, name));

create index contacts_tags_idx on outbound.contacts using gin (outbound.tag_terms(company_id, tags));

alter table outbound.contacts enable row level security;

-- How a contact is reached and recognised. An address belongs to one person of a company.
create table outbound.contact_addresses (
  company_id uuid not null,
  -- The digits of a number, the platform's user id, an e-mail address in small letters, or a visitor's id as the website
  -- signed it.
  address text not null,
  kind text not null,
  contact_id uuid not null,
  created_at timestamptz not null default now(),
  -- In the order of the addresses, with all that conditions read: consents are merged with it (match_sql.ts).
  constraint contact_addresses_pkey primary key (company_id, address, kind) include (contact_id),
  constraint contact_addresses_contact_fkey foreign key (company_id, contact_id)
    references outbound.contacts (company_id, id) on delete cascade,
  constraint contact_addresses_kind_check check (kind in ('number', 'user_id', 'email', 'visitor'))
);

-- With the address: whatever companies have on average, it costs the planner less than the primary key, by which finding
-- one contact's addresses reads all of the company's.
create index contact_addresses_contact_idx on outbound.contact_addresses (company_id, contact_id, kind, address);

-- People by a part of an address (listContacts).
create index contact_addresses_part_idx on outbound.contact_addresses
  using gin (outbound.search_terms(company_id, address));

alter table outbound.contact_addresses enable row level security;

-- The attributes of a company's contacts. The first value of an attribute, or a member, says its type.
create table outbound.contact_attributes (
  company_id uuid not null,
  name text not null,
  type text not null,
  created_at timestamptz not null default now(),
  constraint contact_attributes_pkey primary key (company_id, name),
  constraint contact_attributes_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint contact_attributes_type_check check (type in ('text', 'number', 'date', 'boolean'))
);

alter table outbound.contact_attributes enable row level security;

-- People whom requests and the platform have named, of companies that learn from them (companies.learn_contacts). A
-- dispatcher makes contacts of them a moment later (learn_contacts), so that accepting waits for no contact.
create table outbound.named_people (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  number text,
  user_id text,
  -- As learn_contacts takes it.
  person jsonb not null,
  -- send or platform.
  source text not null,
  created_at timestamptz not null default now(),
  constraint named_people_pkey primary key (company_id, id),
  constraint named_people_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint named_people_source_check check (source in ('send', 'platform'))
);

create index named_people_created_idx on outbound.named_people (created_at, id);

alter table outbound.named_people enable row level security;

-- Which column of a company's files became which field of a contact the last time.
create table outbound.contact_mappings (
  company_id uuid not null,
  -- {column: field}.
  columns jsonb not null,
  updated_at timestamptz not null default now(),
  constraint contact_mappings_pkey primary key (company_id),
  constraint contact_mappings_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);

alter table outbound.contact_mappings enable row level security;

-- The secret with which a company's website signs who its visitors are.
create table outbound.identity_secrets (
  company_id uuid not null,
  -- Sealed with OUTBOUND_SECRETS_KEY.
  secret_sealed text not null,
  created_at timestamptz not null default now(),
  constraint identity_secrets_pkey primary key (company_id),
  constraint identity_secrets_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);

alter table outbound.identity_secrets enable row level security;

-- Saved lists of contacts: of members, or of all who meet a condition at the time it is asked.
create table outbound.contact_lists (
  company_id uuid not null,
  id uuid not null,
  name text not null,
  -- Null: the list has members. docs/lists.md has the grammar.
  condition jsonb,
  created_by text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint contact_lists_pkey primary key (company_id, id),
  constraint contact_lists_name_key unique (company_id, name),
  constraint contact_lists_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);

alter table outbound.contact_lists enable row level security;

create table outbound.contact_list_members (
  company_id uuid not null,
  list_id uuid not null,
  contact_id uuid not null,
  added_at timestamptz not null default now(),
  constraint contact_list_members_pkey primary key (company_id, list_id, contact_id),
  constraint contact_list_members_list_fkey foreign key (company_id, list_id)
    references outbound.contact_lists (company_id, id) on delete cascade,
  constraint contact_list_members_contact_fkey foreign key (company_id, contact_id)
    references outbound.contacts (company_id, id) on delete cascade
);

create index contact_list_members_contact_idx on outbound.contact_list_members (company_id, contact_id);

alter table outbound.contact_list_members enable row level security;

-- Campaigns that members write, before anything is sent. No recipients: these come with the campaign.
create table outbound.campaign_drafts (
  company_id uuid not null,
  id uuid not null,
  name text not null,
  -- The fields of an upload (campaign_uploads.plan) or of a request, as far as they are written.
  plan jsonb not null,
  -- user:<id> or key:<id>, as in the audit.
  created_by text not null,
  updated_by text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint campaign_drafts_pkey primary key (company_id, id),
  constraint campaign_drafts_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);

alter table outbound.campaign_drafts enable row level security;

-- Up to ten per company.
create table outbound.test_recipients (
  company_id uuid not null,
  number text not null,
  name text not null,
  constraint test_recipients_pkey primary key (company_id, number),
  constraint test_recipients_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);

alter table outbound.test_recipients enable row level security;

-- The changes that no fold has added to the history yet (fold_history). Every statement that moves notifications
-- appends a row per company, hour, area and state, so that none waits for a row that all write. No foreign keys,
-- for the same reason: a fold drops what is of no company any more. A row per campaign took accepting of a hundred
-- campaigns of one message 5 % of its time.
create table outbound.history_changes (
  -- The order in which folds take them. Its transaction may end after those of later ones.
  written_at timestamptz not null default now(),
  company_id uuid not null,
  -- When it happened, or the hour of it: a late report belongs to the hour of its event.
  at timestamptz not null,
  -- As area_of returns it; of what was priced, the country by ISO 3166-1, or empty.
  area text not null,
  -- accepted, sent, delivered, read, replied, failed, skipped, cancelled, opted_out; priced: the platform charges for
  -- it.
  metric text not null,
  -- failed, skipped: the code; priced: the category; opted_out: the channel; empty otherwise.
  reason text not null default '',
  -- The nil UUID for an opt-out.
  campaign_ids uuid[] not null,
  -- Of each campaign; null: 1 of each. Less than 0 where a state is taken back, as of a sent message that fails.
  counts int[]
);

create index history_changes_written_idx on outbound.history_changes (written_at);

-- Up to some hundred campaigns stay in the row, uncompressed.
alter table outbound.history_changes set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, toast_tuple_target = 8160
);

alter table outbound.history_changes enable row level security;

-- The history. Only folds write it.
create table outbound.history (
  company_id uuid not null,
  -- The hour, or the day, in UTC.
  hour timestamptz not null,
  -- The nil UUID for campaigns of a single message, and for opt-outs.
  campaign_id uuid not null,
  -- The nil UUID for calls and opt-outs.
  template_id uuid not null,
  -- The nil UUID for opt-outs.
  sender_id uuid not null,
  -- whatsapp or voice; any: an opt-out of both.
  channel text not null,
  -- As in history_changes.
  area text not null,
  -- The code of what failed or was skipped, the category of what was priced; empty for everything else.
  reason text not null,
  accepted int not null default 0,
  -- As campaigns count: delivered and read messages are sent ones, too; failed ones are not.
  sent int not null default 0,
  delivered int not null default 0,
  read int not null default 0,
  replied int not null default 0,
  failed int not null default 0,
  skipped int not null default 0,
  cancelled int not null default 0,
  -- Messages for which the platform charges.
  priced int not null default 0,
  opted_out int not null default 0,
  constraint history_pkey
    primary key (company_id, hour, campaign_id, template_id, sender_id, channel, area, reason),
  constraint history_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
) with (fillfactor = 80);

-- The oldest hours and the oldest days (clean_up_history).
create index history_age_idx
  on outbound.history ((date_trunc('day', hour at time zone 'UTC') = hour at time zone 'UTC'), hour);

-- One campaign's.
create index history_campaign_idx on outbound.history (company_id, campaign_id, hour);

alter table outbound.history set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

alter table outbound.history enable row level security;

-- How long hours are kept, before they become days; and how long the history is.
create or replace function outbound.history_hours_kept()
returns interval
language sql immutable security invoker set search_path = ''
return interval '35 days';

revoke execute on function outbound.history_hours_kept from public;

create or replace function outbound.history_kept()
returns interval
language sql immutable security invoker set search_path = ''
return interval '13 months';

revoke execute on function outbound.history_kept from public;

-- A sender's quality and limit since a time, until the next row's (keep_sender_history).
create table outbound.sender_history (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  sender_id uuid not null,
  -- When the platform says that it changed.
  at timestamptz not null,
  quality text,
  messaging_limit text,
  constraint sender_history_pkey primary key (company_id, id),
  constraint sender_history_sender_fkey foreign key (company_id, sender_id)
    references outbound.senders (company_id, id) on delete cascade
);

create index sender_history_sender_idx on outbound.sender_history (company_id, sender_id, at, id);

create index sender_history_at_idx on outbound.sender_history (at);

alter table outbound.sender_history enable row level security;

-- The amounts that a company wants to spend per month (UTC) on messages, by the operator's rate card: from warn_amount
-- on it is warned, from limit_amount on nothing more is accepted or leaves (senders.over_budget). check_budgets() keeps
-- the state.
create table outbound.budgets (
  company_id uuid not null,
  warn_amount numeric(14, 2),
  limit_amount numeric(14, 2),
  currency text not null,
  -- The month that the following are about.
  month date not null default '-infinity',
  spent numeric(16, 6) not null default 0,
  warned_at timestamptz,
  reached_at timestamptz,
  checked_at timestamptz not null default '-infinity',
  constraint budgets_pkey primary key (company_id),
  constraint budgets_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint budgets_currency_check check (currency ~ '^[A-Z]{3}$'),
  constraint budgets_amounts_check check (least(warn_amount, limit_amount) >= 0)
);

-- Those to check next (check_budgets).
create index budgets_checked_idx on outbound.budgets (checked_at);

alter table outbound.budgets enable row level security;

create table outbound.media_files (
  company_id uuid not null,
  id uuid not null,
  kind text not null,
  content_type text not null,
  bytes int not null,
  -- Of the bytes, in hex.
  sha256 text not null,
  file_name text,
  -- The message of a person that it came with; null: the company uploaded it. delete_received_media deletes.
  message_id uuid,
  -- As in audit_log.
  created_by text not null,
  created_at timestamptz not null default now(),
  constraint media_files_pkey primary key (company_id, id),
  constraint media_files_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint media_files_kind_check check (kind in ('image', 'audio', 'video', 'document', 'sticker')),
  constraint media_files_sha256_check check (sha256 ~ '^[0-9a-f]{64}$')
);

-- The same content is stored once per company.
create unique index media_files_content_idx on outbound.media_files (company_id, sha256) where message_id is null;

create unique index media_files_message_idx on outbound.media_files (company_id, message_id)
  where message_id is not null;

-- The list of a company, the newest first.
create index media_files_uploaded_idx on outbound.media_files (company_id, id) where message_id is null;

alter table outbound.media_files enable row level security;

create trigger media_files_release_objects after delete on outbound.media_files
  referencing old table as old_rows
  for each statement execute function outbound.release_media_objects();

-- The platform's ids of files. It takes a file per phone number, and keeps it for 30 days.
create table outbound.media_platform_ids (
  company_id uuid not null,
  media_id uuid not null,
  sender_id uuid not null,
  platform_media_id text not null,
  expires_at timestamptz not null,
  constraint media_platform_ids_pkey primary key (company_id, media_id, sender_id),
  constraint media_platform_ids_media_fkey foreign key (company_id, media_id)
    references outbound.media_files (company_id, id) on delete cascade,
  constraint media_platform_ids_sender_fkey foreign key (company_id, sender_id)
    references outbound.senders (company_id, id) on delete cascade
);

create index media_platform_ids_sender_idx on outbound.media_platform_ids (company_id, sender_id);

alter table outbound.media_platform_ids enable row level security;

-- Objects of the media store to delete when they are due: of files that were deleted, and of uploads that were never
-- completed. It outlives its company, so it has no foreign key.
create table outbound.media_leftovers (
  company_id uuid not null,
  media_id uuid not null,
  bytes int not null,
  due_at timestamptz not null,
  constraint media_leftovers_pkey primary key (company_id, media_id)
);

create index media_leftovers_due_idx on outbound.media_leftovers (due_at);

alter table outbound.media_leftovers enable row level security;

-- The bytes that a company has in the media store: the sum of its rows in media_files and media_leftovers. expect_media
-- adds; they are subtracted when an object is deleted.
create table outbound.media_usage (
  company_id uuid not null,
  bytes bigint not null,
  constraint media_usage_pkey primary key (company_id),
  constraint media_usage_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);

alter table outbound.media_usage enable row level security;

-- Files of people's messages that are not stored: those that dispatchers are to fetch from the platform, which deletes
-- them after some days, and those that will not be stored. delete_received_media deletes.
create table outbound.received_media (
  company_id uuid not null,
  message_id uuid not null,
  -- When it is fetched, or when the lease of the dispatcher that fetches it ends. Null: it will not be stored.
  next_at timestamptz,
  -- Counts up with each lease. Its holder alone records how the attempt ended.
  attempt int not null default 0,
  -- Why the last attempt failed: gone, too_large, quota_exceeded or unavailable, and the same as a sentence.
  error_code text,
  error_reason text,
  created_at timestamptz not null default now(),
  constraint received_media_pkey primary key (company_id, message_id)
);

-- Those of a company to fetch next (claim_received_media).
create index received_media_next_idx on outbound.received_media (company_id, next_at) where next_at is not null;

alter table outbound.received_media enable row level security;

-- When claims look at the files that a company has to fetch: each company has its turn, however many it has. A company
-- without any has no row. No foreign key: a dispatcher and the deletion of a company would wait for each other.
-- delete_company_data deletes.
create table outbound.received_media_schedule (
  company_id uuid not null,
  due_at timestamptz not null,
  constraint received_media_schedule_pkey primary key (company_id)
) with (fillfactor = 70);

create index received_media_schedule_due_idx on outbound.received_media_schedule (due_at);

alter table outbound.received_media_schedule enable row level security;

reset check_function_bodies;
