-- Our copies of the templates of companies' WhatsApp business accounts.
create table outbound.templates (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  waba_id text not null,
  platform_template_id text,
  name text not null,
  language text not null,
  category text not null,
  -- pending, approved, rejected, disabled, or a status of the platform that we do not know. Only approved is usable.
  status text not null,
  parameter_format text not null default 'POSITIONAL',
  -- As the platform writes them: [{type, format, text, example, buttons}, …].
  components jsonb not null,
  -- Changes when a message must supply other values than before.
  shape text not null generated always as (outbound.template_shape(parameter_format, components)) stored,
  -- Why it was rejected, paused or disabled.
  rejected_reason text,
  -- GREEN, YELLOW, RED or UNKNOWN, as the platform rates it; null until the platform has reported it.
  quality text,
  -- When each of these became true at the platform. An earlier event is out of date.
  status_at timestamptz not null default '-infinity',
  category_at timestamptz not null default '-infinity',
  quality_at timestamptz not null default '-infinity',
  -- The second in which the last attempt began that the platform refused because of the template: an earlier approval is
  -- out of date.
  -- Not part of status_at, because a refusal does not say which state the template has, or since when.
  refused_at timestamptz not null default '-infinity'::timestamptz,
  -- When any of them was last reported by anything but a sync: a listing that began before does not include it.
  reported_at timestamptz not null default '-infinity',
  -- It became usable or unusable, and its campaigns still have to be released or held (settle_templates).
  unsettled boolean not null default false,
  -- The last campaign that was looked at for holding it; null where that has not begun.
  settled_to uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Where changes are found (mark_change).
  changed_xid bigint not null default pg_current_xact_id()::text::bigint,
  constraint templates_pkey primary key (company_id, id),
  constraint templates_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint templates_name_key unique (company_id, waba_id, name, language),
  constraint templates_components_check check (jsonb_typeof(components) = 'array')
);
create index templates_waba_idx on outbound.templates (waba_id, name);
-- Rows that changed a moment ago (changes_of_sending).
create index templates_changed_idx on outbound.templates (company_id, changed_xid)
  where changed_xid is not null;
create index templates_unsettled_idx on outbound.templates (company_id, id) where unsettled;
alter table outbound.templates enable row level security;
create trigger templates_mark_change before update on outbound.templates
  for each row execute function outbound.mark_change();
create trigger templates_unsettle before update of status on outbound.templates
  for each row when ((old.status = 'approved') <> (new.status = 'approved'))
  execute function outbound.unsettle_template();
create trigger templates_report after update on outbound.templates
  for each row when (old.status is distinct from new.status) execute function outbound.report_template();

-- Submissions of templates for review. Submitting sends a request to another system, and the process may die before,
-- during or after it. So the submission is recorded first (begin_template_submission), and the platform's response
-- becomes a template in the same transaction that deletes the record (finish_template_submission). A record that is
-- left over means: check whether the platform has the template. It is listed nowhere, can never be sent, and blocks
-- nothing: the next request for the same name takes it over, and a sync deletes it.
create table outbound.template_submissions (
  company_id uuid not null,
  waba_id text not null,
  name text not null,
  language text not null,
  -- The request that works on it; changes when a later request takes it over.
  id uuid not null,
  -- Fingerprint of what was submitted, to distinguish a repetition from another template of the same name.
  content_hash text not null,
  -- The Idempotency-Key it came with, if any, and the fingerprint of that request.
  idempotency_key text,
  request_hash text,
  -- Extended while a request works on it.
  lease_until timestamptz not null,
  started_at timestamptz not null default now(),
  constraint template_submissions_pkey primary key (company_id, waba_id, name, language),
  constraint template_submissions_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint template_submissions_idempotency_check check ((idempotency_key is null) = (request_hash is null))
);
create unique index template_submissions_key_idx on outbound.template_submissions (company_id, idempotency_key)
  where idempotency_key is not null;
alter table outbound.template_submissions enable row level security;
