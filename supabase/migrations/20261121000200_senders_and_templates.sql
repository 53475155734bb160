-- Who messages leave from, and the approved texts they are made of.
create table outbound.senders (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  channel text not null,
  -- International format, digits only.
  number text not null,
  -- The platform's id of the number: phone_number_id on WhatsApp.
  provider_id text not null,
  -- The WhatsApp business account the number belongs to.
  waba_id text,
  -- The platform's access token, sealed with SECRETS_KEY. Written, never shown.
  token_sealed text,
  rate_per_second int not null default 80,
  -- Voice: how many calls may go on at once, instead of a rate.
  concurrency int not null default 20,
  status text not null default 'active',
  stopped_reason text,
  created_at timestamptz not null default now(),
  constraint senders_pkey primary key (company_id, id),
  constraint senders_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint senders_number_key unique (company_id, channel, number),
  constraint senders_provider_key unique (company_id, channel, provider_id),
  constraint senders_channel_check check (channel in ('whatsapp', 'voice')),
  constraint senders_number_check check (number ~ '^[1-9][0-9]{6,14}$'),
  constraint senders_waba_check check (channel <> 'whatsapp' or waba_id is not null),
  constraint senders_rate_check check (rate_per_second > 0),
  constraint senders_concurrency_check check (concurrency between 1 and 1000),
  constraint senders_status_check
    check (status in ('active', 'stopped') and (status = 'stopped') = (stopped_reason is not null))
);
create index senders_waba_idx on outbound.senders (waba_id);
alter table outbound.senders enable row level security;

-- How fast a sender may go right now, shared by all dispatchers: a token
-- bucket, and a breaker for a platform that does not answer. Apart from
-- senders, because these few bytes change many times a second.
create table outbound.sender_pace (
  company_id uuid not null,
  sender_id uuid not null,
  tokens double precision not null default 1,
  refilled_at timestamptz not null default now(),
  -- Share of rate_per_second or concurrency in force: halved when the platform says it is too much, recovering with time.
  throttle double precision not null default 1,
  throttled_at timestamptz,
  -- Failures to reach the platform in a row; from 5 on the breaker is open until blocked_until.
  failures int not null default 0,
  blocked_until timestamptz,
  constraint sender_pace_pkey primary key (company_id, sender_id),
  constraint sender_pace_sender_fkey foreign key (company_id, sender_id)
    references outbound.senders (company_id, id) on delete cascade,
  constraint sender_pace_throttle_check check (throttle > 0 and throttle <= 1)
) with (fillfactor = 30);
alter table outbound.sender_pace enable row level security;

create function outbound.add_sender_pace()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.sender_pace (company_id, sender_id) values (new.company_id, new.id);
  return null;
end
$$;
revoke execute on function outbound.add_sender_pace from public;
create trigger senders_add_pace after insert on outbound.senders
  for each row execute function outbound.add_sender_pace();

create table outbound.templates (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  waba_id text not null,
  provider_template_id text,
  name text not null,
  language text not null,
  category text not null,
  -- pending, approved, rejected, disabled, or a status of the platform we do not know; only approved is usable.
  status text not null,
  parameter_format text not null default 'POSITIONAL',
  -- The platform's own shape: [{type, format, text, example, buttons}, …].
  components jsonb not null,
  -- Changes when what a message must supply may have changed.
  shape text not null generated always as (md5(parameter_format || components::text)) stored,
  rejected_reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint templates_pkey primary key (company_id, id),
  constraint templates_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint templates_name_key unique (company_id, waba_id, name, language),
  constraint templates_components_check check (jsonb_typeof(components) = 'array')
);
create index templates_waba_idx on outbound.templates (waba_id, name);
alter table outbound.templates enable row level security;
