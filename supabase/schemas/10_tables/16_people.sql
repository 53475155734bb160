-- People whom a company knows by name: contacts, and lists of them. Nothing of the contract needs a row here: what may
-- be sent to whom is asked by address, in the tables of recipients' rights.

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
create trigger contacts_count_tags after insert on outbound.contacts
  referencing new table as new_rows for each statement execute function outbound.count_tags();
create trigger contacts_recount_tags after update on outbound.contacts
  referencing old table as old_rows new table as new_rows for each statement execute function outbound.count_tags();
create trigger contacts_discount_tags after delete on outbound.contacts
  referencing old table as old_rows for each statement execute function outbound.count_tags();

-- The tags of a company's contacts, so that a list of them reads no contacts (count_tags). One that no contact has is
-- deleted.
create table outbound.contact_tags (
  company_id uuid not null,
  -- In the order of its bytes, as a page reads on after one.
  tag text collate "C" not null,
  contacts int not null,
  constraint contact_tags_pkey primary key (company_id, tag),
  constraint contact_tags_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
) with (fillfactor = 80);
alter table outbound.contact_tags enable row level security;

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
