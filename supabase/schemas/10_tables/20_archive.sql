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
