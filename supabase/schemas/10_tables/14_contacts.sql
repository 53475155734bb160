-- Recipients' rights: who does not want to be written to, who agreed to it, what people replied.
--
-- An address is how a person is reached: a phone number (digits) or the platform's user id (ES.1349…); the two forms
-- cannot be confused. A person may have both (user_ids). Whatever is stored about a person is stored under each address
-- that is known, so that a check is one look-up by the address at hand; a link that is learned later copies it.

-- A company's rules about recipients. A company without a row has the defaults.
create table outbound.contact_rules (
  company_id uuid not null,
  -- The condition for marketing: off: nothing, warn: the response warns, require: a recorded consent.
  consent_policy text not null default 'off',
  -- [{channel, category, zone, windows, holidays}, …]; docs/sending-hours.md describes them.
  sending_hours jsonb not null default '[]',
  -- [{channel, max, days}, …]: at most max marketing messages per person in that many calendar days.
  frequency_caps jsonb not null default '[]',
  -- Words of the company's own, folded (fold_words.ts), besides those of each language.
  opt_out_words text[] not null default '{}',
  opt_in_words text[] not null default '{}',
  use_default_words boolean not null default true,
  -- Whether marketing waits while the platform spares a person (marketing_cooldowns). Otherwise it leaves at once.
  marketing_cooldown boolean not null default false,
  -- The reply to an opt-out; null: a text in the language of the word; empty: none.
  opt_out_confirmation text,
  -- Whether an opt-out that a person writes on WhatsApp stops calls too.
  opt_out_stops_calls boolean not null default true,
  -- After how many days what is known about recipients is deleted; null: never.
  keep_notifications_days int,
  keep_messages_days int,
  keep_transcripts_days int,
  -- The key of the hashes in erased_contacts, sealed with OUTBOUND_SECRETS_KEY.
  erasure_key_sealed text,
  -- Notifications before this id were erased, or are in retention_leftovers.
  notifications_erased_to uuid,
  updated_at timestamptz not null default now(),
  -- After how many days messages of campaigns that are over go to files in the media store (archive_files); null: never.
  archive_after_days int,
  -- When plan_archive_file looks on, and the last campaign that it looked at; null between two turns of the company.
  archive_at timestamptz not null default now(),
  archive_cursor uuid,
  constraint contact_rules_pkey primary key (company_id),
  constraint contact_rules_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint contact_rules_policy_check check (consent_policy in ('off', 'warn', 'require')),
  constraint contact_rules_lists_check
    check (jsonb_typeof(sending_hours) = 'array' and jsonb_typeof(frequency_caps) = 'array'),
  constraint contact_rules_days_check
    check (least(keep_notifications_days, keep_messages_days, keep_transcripts_days) >= 1),
  -- The platform reports about a message for less.
  constraint contact_rules_archive_check check (archive_after_days >= 30)
);
-- Companies that want something erased, the one first that is furthest behind (apply_retention).
create index contact_rules_retention_idx on outbound.contact_rules (notifications_erased_to nulls first)
  where num_nonnulls(keep_notifications_days, keep_messages_days, keep_transcripts_days) > 0;
-- Companies whose files or campaigns are to be looked at (plan_archive_file).
create index contact_rules_archive_idx on outbound.contact_rules (archive_at)
  where num_nonnulls(archive_after_days, keep_notifications_days, keep_transcripts_days) > 0;
alter table outbound.contact_rules enable row level security;

-- Notifications that were old enough to be erased when apply_retention came by, and were not finished, had finished only
-- since, or were locked. It returns to them later.
create table outbound.retention_leftovers (
  company_id uuid not null,
  notification_id uuid not null,
  due_at timestamptz not null,
  constraint retention_leftovers_pkey primary key (company_id, notification_id),
  constraint retention_leftovers_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
create index retention_leftovers_due_idx on outbound.retention_leftovers (due_at);
alter table outbound.retention_leftovers enable row level security;

-- The platform's user ids that we have seen, and the number of each where the platform showed it. A number may have
-- several user ids: each business portfolio has its own.
create table outbound.user_ids (
  company_id uuid not null,
  user_id text not null,
  number text,
  username text,
  seen_at timestamptz not null default now(),
  -- When the platform showed the two together, by its clock: an earlier event changes nothing.
  linked_at timestamptz not null default '-infinity',
  constraint user_ids_pkey primary key (company_id, user_id),
  constraint user_ids_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint user_ids_user_id_check check (user_id ~ '^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$'),
  constraint user_ids_number_check check (number ~ '^[1-9][0-9]{6,14}$')
);
create index user_ids_number_idx on outbound.user_ids (company_id, number) where number is not null;
alter table outbound.user_ids enable row level security;

-- Numbers that the platform writes in another way than the company: a Mexican number with or without a 1 after 52, an
-- Argentine one with or without a 9 after 54. They come from its responses to
-- our own messages.
create table outbound.number_aliases (
  company_id uuid not null,
  -- As the company wrote it.
  number text not null,
  -- The same phone line, as the platform writes it.
  platform_number text not null,
  constraint number_aliases_pkey primary key (company_id, number),
  constraint number_aliases_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint number_aliases_numbers_check check (number <> platform_number)
);
create index number_aliases_platform_number_idx on outbound.number_aliases (company_id, platform_number);
alter table outbound.number_aliases enable row level security;

-- The ledger of who does not want to be written to. A row changes only when the same is said again later, and when it is
-- lifted; lifted rows stay as evidence.
create table outbound.suppressions (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  address text not null,
  channel text not null,
  category text not null,
  source text not null,
  -- When the person, or the company for the person, said so.
  at timestamptz not null,
  -- The words, and where they came from: {text, message_id}, {detail}, {error_code} …
  evidence jsonb,
  created_at timestamptz not null default now(),
  lifted_at timestamptz,
  -- As in source, and what was said.
  lifted_by text,
  lifted_evidence jsonb,
  constraint suppressions_pkey primary key (company_id, id),
  constraint suppressions_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint suppressions_channel_check check (channel in ('any', 'whatsapp', 'voice')),
  constraint suppressions_category_check check (category in ('marketing', 'all')),
  constraint suppressions_source_check
    check (source in ('keyword', 'button', 'platform', 'api', 'import', 'operator')),
  constraint suppressions_lifted_check check ((lifted_at is null) = (lifted_by is null))
);
-- Accepting and claiming look up each recipient here. Contains all that they need.
create unique index suppressions_current_idx
  on outbound.suppressions (company_id, address, channel, category, source) where lifted_at is null;
-- One person's whole history.
create index suppressions_address_idx on outbound.suppressions (company_id, address, created_at);
-- The list of a company, the newest first.
create index suppressions_created_idx on outbound.suppressions (company_id, created_at, id);
alter table outbound.suppressions enable row level security;

-- Consents to be written to, given and taken back, with the evidence. The latest of an address, channel and category
-- counts; at the same time, withdrawn counts. A withdrawal is also a suppression, and a later grant lifts it.
create table outbound.consents (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  address text not null,
  channel text not null,
  category text not null,
  status text not null,
  -- How it was given: website, paper, message …
  method text not null,
  detail text,
  consented_at timestamptz not null,
  source text not null,
  created_at timestamptz not null default now(),
  constraint consents_pkey primary key (company_id, id),
  constraint consents_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint consents_channel_check check (channel in ('any', 'whatsapp', 'voice')),
  constraint consents_category_check check (category in ('marketing', 'all')),
  constraint consents_status_check check (status in ('granted', 'withdrawn')),
  constraint consents_source_check check (source in ('keyword', 'button', 'platform', 'api', 'import', 'operator'))
);
-- The same is recorded once, however often it is imported.
create unique index consents_once_idx
  on outbound.consents (company_id, address, channel, category, status, consented_at);
create index consents_address_idx on outbound.consents (company_id, address, consented_at desc);
create index consents_created_idx on outbound.consents (company_id, created_at, id);
alter table outbound.consents enable row level security;

-- People whom the platform shields from more marketing for a while (error 131049).
create table outbound.marketing_cooldowns (
  company_id uuid not null,
  address text not null,
  until timestamptz not null,
  constraint marketing_cooldowns_pkey primary key (company_id, address),
  constraint marketing_cooldowns_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
create index marketing_cooldowns_until_idx on outbound.marketing_cooldowns (until);
alter table outbound.marketing_cooldowns enable row level security;

-- The marketing messages that a person was sent on a day of the person's own zone. Only of companies with frequency
-- caps. Whether one counts is read from its notification: one that failed does not.
create table outbound.marketing_sends (
  company_id uuid not null,
  address text not null,
  notification_id uuid not null,
  channel text not null,
  day date not null,
  -- When it was last counted; null for those from before this column. The person's number and user id may name zones
  -- whose dates differ just then.
  at timestamptz,
  constraint marketing_sends_pkey primary key (company_id, address, notification_id),
  constraint marketing_sends_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
create index marketing_sends_day_idx on outbound.marketing_sends (day);
alter table outbound.marketing_sends enable row level security;

-- People who were erased stay suppressed: hashes of their addresses, keyed with contact_rules.erasure_key_sealed.
create table outbound.erased_contacts (
  company_id uuid not null,
  address_hash text not null,
  erased_at timestamptz not null default now(),
  constraint erased_contacts_pkey primary key (company_id, address_hash),
  constraint erased_contacts_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint erased_contacts_hash_check check (address_hash ~ '^[0-9a-f]{64}$')
);
alter table outbound.erased_contacts enable row level security;

-- Messages of people to a company's senders, and the company's replies.
create table outbound.contact_messages (
  company_id uuid not null,
  id uuid not null,
  sender_id uuid not null,
  direction text not null,
  -- The other side; at least one of the two while it is not erased.
  number text,
  user_id text,
  -- The platform's type: text, button, interactive, image, location …
  kind text not null,
  -- The words that a person would read: the text, the button's label, the caption …
  text text,
  -- The rest of what the platform said, or is to be sent, by kind.
  content jsonb,
  -- The platform's id of the message, and of the one that it replies to.
  platform_message_id text,
  context_message_id text,
  -- The notification that it replies to.
  campaign_id uuid,
  notification_id uuid,
  -- in: received. out: as a notification's.
  status text not null,
  -- out: reply, or the confirmation of an opt-out.
  purpose text not null default 'reply',
  run_at timestamptz,
  expires_at timestamptz,
  attempt smallint not null default 0,
  fence int not null default 0,
  worker text,
  lease_until timestamptz,
  -- out: the span of the request, as traceparent, where it is traced.
  trace text,
  error_code text,
  error_reason text,
  -- When it was written, by the platform's clock; when we accepted it.
  at timestamptz not null,
  created_at timestamptz not null default now(),
  -- Where changes are found (mark_change).
  changed_xid bigint not null default pg_current_xact_id()::text::bigint,
  -- A reply: its author, as in audit_log; null where that was not recorded yet.
  actor text,
  constraint contact_messages_pkey primary key (company_id, id),
  constraint contact_messages_sender_fkey foreign key (company_id, sender_id)
    references outbound.senders (company_id, id) on delete cascade,
  constraint contact_messages_direction_check check (direction in ('in', 'out')),
  constraint contact_messages_purpose_check check (purpose in ('reply', 'opt_out_confirmation')),
  constraint contact_messages_status_check check (
    case direction when 'in' then status = 'received'
      else status in ('queued', 'sending', 'unconfirmed', 'sent', 'delivered', 'read', 'failed') end
  ),
  constraint contact_messages_address_check
    check (num_nonnulls(number, user_id) > 0 or status not in ('queued', 'sending', 'unconfirmed')),
  constraint contact_messages_lease_check
    check ((status in ('sending', 'unconfirmed')) = (lease_until is not null))
);
-- The platform repeats its events.
create unique index contact_messages_platform_idx on outbound.contact_messages (company_id, platform_message_id)
  where platform_message_id is not null;
create index contact_messages_number_idx on outbound.contact_messages (company_id, number, at desc)
  where number is not null;
create index contact_messages_user_id_idx on outbound.contact_messages (company_id, user_id, at desc)
  where user_id is not null;
-- The list of a company, the newest first; and of one campaign.
create index contact_messages_at_idx on outbound.contact_messages (company_id, at, id);
create index contact_messages_campaign_idx on outbound.contact_messages (company_id, campaign_id, at, id)
  where campaign_id is not null;
-- Rows that changed a moment ago (changes_of_people).
create index contact_messages_changed_idx on outbound.contact_messages (company_id, changed_xid)
  where changed_xid is not null;
-- Led by the sender: a claim takes from each in turn, and passes by a stopped one without reading its replies.
create index contact_messages_queued_idx on outbound.contact_messages (company_id, sender_id, run_at)
  where status = 'queued';
create index contact_messages_expiry_idx on outbound.contact_messages (expires_at) where status = 'queued';
create index contact_messages_lease_idx on outbound.contact_messages (lease_until)
  where status in ('sending', 'unconfirmed');
-- A part of a text (search_messages).
create index contact_messages_text_idx on outbound.contact_messages
  using gin (outbound.search_terms(company_id, left(text, 500))) where text is not null;
alter table outbound.contact_messages enable row level security;

create trigger contact_messages_mark_change before update on outbound.contact_messages
  for each row execute function outbound.mark_change();
create trigger contact_messages_touch_thread after insert on outbound.contact_messages
  for each row when (new.kind <> 'system') execute function outbound.touch_thread();
create trigger contact_messages_end_threads after delete on outbound.contact_messages
  referencing old table as old_rows
  for each statement execute function outbound.end_threads();
create trigger contact_messages_delete_media after delete on outbound.contact_messages
  referencing old table as old_rows
  for each statement execute function outbound.delete_received_media();

-- When claims look at the replies that wait for a sender: a claim costs as much as there is to send now, however many
-- senders wait or are stopped. A sender for which nothing waits has no row.
create table outbound.reply_schedule (
  company_id uuid not null,
  sender_id uuid not null,
  due_at timestamptz not null,
  constraint reply_schedule_pkey primary key (company_id, sender_id),
  constraint reply_schedule_sender_fkey foreign key (company_id, sender_id)
    references outbound.senders (company_id, id) on delete cascade
) with (fillfactor = 70);
create index reply_schedule_due_idx on outbound.reply_schedule (due_at);
alter table outbound.reply_schedule enable row level security;


-- The conversation of a person and one of the senders, for the inbox. A thread ends with its last message, when
-- that is erased. Threads hold no texts.
create table outbound.contact_threads (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  sender_id uuid not null,
  -- The person as first known: the user id, or else the number.
  address text not null,
  status text not null default 'open',
  last_message_id uuid not null,
  last_message_at timestamptz not null,
  last_direction text not null,
  -- The platform takes replies for a day from then on. Null while the person has not written.
  last_inbound_at timestamptz,
  -- The member who takes care of it.
  assigned_to uuid,
  state text not null generated always as (outbound.inbox_state(status, last_direction = 'in')) stored,
  -- Where changes are found (mark_change).
  changed_xid bigint not null default pg_current_xact_id()::text::bigint,
  created_at timestamptz not null default now(),
  -- In their order, each once.
  labels text[] not null default '{}',
  constraint contact_threads_pkey primary key (company_id, id),
  -- The sender leads, so that without statistics no other index looks as good to touch_thread.
  constraint contact_threads_address_key unique (sender_id, address, company_id),
  -- No foreign key to the message: its checks read the whole table while there are no statistics. end_threads deletes.
  constraint contact_threads_message_key unique (last_message_id, company_id),
  constraint contact_threads_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint contact_threads_assigned_fkey foreign key (company_id, assigned_to)
    references outbound.memberships (company_id, user_id) on delete set null (assigned_to),
  constraint contact_threads_status_check check (status in ('open', 'closed')),
  constraint contact_threads_direction_check check (last_direction in ('in', 'out'))
) with (fillfactor = 80);
-- The inbox (read_inbox): all of it, of one state, and of one member.
create index contact_threads_recent_idx on outbound.contact_threads (company_id, last_message_at, id);
create index contact_threads_state_idx on outbound.contact_threads (company_id, state, last_message_at, id);
create index contact_threads_assigned_idx on outbound.contact_threads (company_id, assigned_to, last_message_at, id)
  where assigned_to is not null;
-- By a label; terms carry the company.
create index contact_threads_labels_idx on outbound.contact_threads using gin (outbound.tag_terms(company_id, labels))
  where labels <> '{}';
-- Rows that changed a moment ago (changes_of_people).
create index contact_threads_changed_idx on outbound.contact_threads (company_id, changed_xid)
  where changed_xid is not null;
alter table outbound.contact_threads enable row level security;
create trigger contact_threads_mark_change before update on outbound.contact_threads
  for each row execute function outbound.mark_change();
create trigger contact_threads_delete_notes after delete on outbound.contact_threads
  referencing old table as old_rows
  for each statement execute function outbound.delete_notes();

-- Hashes of the platform's ids of received messages. The platform repeats its events for seven days; by these, one is
-- recognised whose message was erased or deleted since.
create table outbound.seen_messages (
  company_id uuid not null,
  message_hash bytea not null,
  seen_at timestamptz not null default now(),
  constraint seen_messages_pkey primary key (company_id, message_hash),
  constraint seen_messages_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
create index seen_messages_seen_idx on outbound.seen_messages (seen_at);
alter table outbound.seen_messages enable row level security;

-- Every change of a company's rules and recipients, with its author.
create table outbound.audit_log (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  at timestamptz not null default now(),
  -- key:<id> or user:<id>, behind mcp: if through an agent; cli, or platform.
  actor text not null,
  -- contact.erased, contact_rules.updated …
  action text not null,
  -- The thing that was changed; never a person's address.
  subject text,
  before jsonb,
  after jsonb,
  request_id text,
  constraint audit_log_pkey primary key (company_id, id),
  constraint audit_log_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
create index audit_log_at_idx on outbound.audit_log (company_id, at, id);
create index audit_log_old_idx on outbound.audit_log (at);
-- The changes of one thing (contact_timeline).
create index audit_log_subject_idx on outbound.audit_log (company_id, subject, at) where subject is not null;
alter table outbound.audit_log enable row level security;
