-- Widgets on other people's pages.
create table outbound.widgets (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  kind text not null,
  name text not null,
  -- Checked when written and when read (_shared/widgets/widget_config.ts), which has the defaults of missing fields.
  config jsonb not null,
  -- Origins of the pages that may show it; empty means any.
  allowed_origins text[] not null default '{}',
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The daily caps (UTC) for its visitors, as in companies.
  max_voice_sessions_per_day int not null default 200,
  max_voice_minutes_per_day int not null default 600,
  max_conversations_per_day int not null default 1000,
  max_stored_mb_per_day int not null default 50,
  -- The longest voice session. Each session reserves as much until its length is known. Its token lasts an hour, which
  -- must leave time for what follows the session.
  max_session_minutes int not null default 10,
  constraint widgets_pkey primary key (company_id, id),
  constraint widgets_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint widgets_kind_check check (kind in ('chat', 'voice')),
  constraint widgets_name_check check (length(name) between 1 and 200),
  constraint widgets_config_check check (jsonb_typeof(config) = 'object'),
  -- Compared byte for byte with what browsers send, and part of a Content-Security-Policy: no wildcard.
  constraint widgets_origins_check check (
    cardinality(allowed_origins) <= 100
    and array_to_string(allowed_origins, ' ', '*') ~ '^(https?://[a-z0-9._:\[\]-]+( |$))*$'
  ),
  constraint widgets_caps_check check (
    least(max_voice_sessions_per_day, max_voice_minutes_per_day, max_conversations_per_day, max_stored_mb_per_day) >= 0
    and max_session_minutes between 1 and 45
  )
);
create index widgets_created_idx on outbound.widgets (company_id, created_at, id);
-- Sessions name a widget without its company.
create unique index widgets_id_idx on outbound.widgets (id);
alter table outbound.widgets enable row level security;

-- Keys that may stand on a web page: they open a company's widgets and nothing else, so they are not secret.
create table outbound.publishable_keys (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  key text not null,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  constraint publishable_keys_pkey primary key (company_id, id),
  constraint publishable_keys_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  -- Its cell stands before a point, unless that is 0.
  constraint publishable_keys_key_check check (key ~ '^pk_([1-9][0-9]{0,3}[.])?[A-Za-z0-9_-]{20,100}$')
);
create index publishable_keys_created_idx on outbound.publishable_keys (company_id, created_at, id);
create unique index publishable_keys_key_idx on outbound.publishable_keys (key);
alter table outbound.publishable_keys enable row level security;

-- Texts that a voice session can search.
create table outbound.knowledge_documents (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  title text not null,
  content text not null,
  url text,
  -- How words are reduced to their stems: a name of pg_ts_config; 'simple' does not change them. As text, because
  -- pg_upgrade refuses every database with a column of type regconfig.
  language text not null default 'simple',
  -- The unchanged words are in it too, for questions in another language.
  search tsvector not null generated always as (
    setweight(to_tsvector(outbound.text_search_config(language), title), 'A')
      || setweight(to_tsvector(outbound.text_search_config(language), content), 'B')
      || setweight(to_tsvector('simple', title), 'B') || to_tsvector('simple', content)
  ) stored,
  created_at timestamptz not null default now(),
  constraint knowledge_documents_pkey primary key (company_id, id),
  constraint knowledge_documents_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint knowledge_documents_title_check check (length(title) between 1 and 300),
  constraint knowledge_documents_content_check check (length(content) between 1 and 100000),
  constraint knowledge_documents_url_check check (url ~ '^https?://' and length(url) <= 2000)
);
create index knowledge_documents_created_idx on outbound.knowledge_documents (company_id, created_at, id);
create index knowledge_documents_search_idx on outbound.knowledge_documents using gin (search);
alter table outbound.knowledge_documents enable row level security;

-- Visitors' requests, counted per address and per conversation; subjects are hashes.
create table outbound.visitor_requests (
  subject text not null,
  window_start timestamptz not null,
  requests int not null,
  constraint visitor_requests_pkey primary key (subject)
) with (fillfactor = 50);
create index visitor_requests_window_idx on outbound.visitor_requests (window_start);
alter table outbound.visitor_requests enable row level security;
-- Visitors' use per day (UTC), per widget and per company. use_visitor_quota compares it with the caps.
create table outbound.visitor_usage (
  company_id uuid not null,
  -- A widget's id, or the company's own for all of its widgets together.
  subject_id uuid not null,
  -- In UTC.
  day date not null,
  voice_sessions int not null default 0,
  -- For sessions whose length is not known yet, the time that they reserve.
  voice_s int not null default 0,
  conversations int not null default 0,
  stored_bytes bigint not null default 0,
  constraint visitor_usage_pkey primary key (company_id, subject_id, day),
  constraint visitor_usage_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint visitor_usage_counters_check check (least(voice_sessions, voice_s, conversations, stored_bytes) >= 0)
) with (fillfactor = 50);
create index visitor_usage_day_idx on outbound.visitor_usage (day);
alter table outbound.visitor_usage enable row level security;
