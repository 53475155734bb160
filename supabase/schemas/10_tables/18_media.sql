-- Files of companies: what they uploaded to send, what people sent them, and pictures of members. The bytes are in the
-- media store (docs/media.md), under the company's id and the file's.

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
  -- The chat that its visitor sent it in, in the message message_id. delete_files_of_chats deletes.
  conversation_id uuid,
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
create index media_files_conversation_idx on outbound.media_files (company_id, conversation_id)
  where conversation_id is not null;
-- The list of a company, the newest first.
create index media_files_uploaded_idx on outbound.media_files (company_id, id) where message_id is null;
alter table outbound.media_files enable row level security;
create trigger media_files_release_objects after delete on outbound.media_files
  referencing old table as old_rows
  for each statement execute function outbound.release_media_objects();

-- The pictures of members, which visitors of chats see beside their replies. set_member_picture adds; they end with the
-- membership.
create table outbound.member_pictures (
  company_id uuid not null,
  user_id uuid not null,
  -- Stands for the member in the picture's address. A picture that replaces another keeps it.
  token uuid not null default gen_random_uuid(),
  -- Names the object in the media store.
  id uuid not null,
  content_type text not null,
  bytes int not null,
  created_at timestamptz not null default now(),
  constraint member_pictures_pkey primary key (company_id, user_id),
  constraint member_pictures_token_key unique (company_id, token),
  constraint member_pictures_member_fkey foreign key (company_id, user_id)
    references outbound.memberships (company_id, user_id) on delete cascade,
  constraint member_pictures_content_type_check check (content_type in ('image/png', 'image/jpeg', 'image/webp'))
);
alter table outbound.member_pictures enable row level security;
create trigger member_pictures_release_objects after delete on outbound.member_pictures
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
  -- A visitor of a chat sent it.
  of_visitor boolean not null default false,
  constraint media_leftovers_pkey primary key (company_id, media_id)
);
create index media_leftovers_due_idx on outbound.media_leftovers (due_at);
alter table outbound.media_leftovers enable row level security;

-- The bytes that a company has in the media store: the sum of its rows in media_files, member_pictures and
-- media_leftovers. expect_media and expect_visitor_file add; they are subtracted when an object is deleted.
create table outbound.media_usage (
  company_id uuid not null,
  bytes bigint not null,
  -- Of these, what visitors of chats sent.
  visitor_bytes bigint not null default 0,
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
