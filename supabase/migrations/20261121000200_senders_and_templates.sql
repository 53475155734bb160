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
  stopped_at timestamptz,
  -- The platform has locked the account and lifts that only on appeal: requests for this sender are refused.
  stopped_for_good boolean not null default false,
  -- An event about the account stopped it, and another one releases it; without that it was a refused message.
  stopped_by_account boolean not null default false,
  -- When the platform's restriction ends, if it said so.
  stopped_until timestamptz,
  -- How many people per day the platform lets the business write to (TIER_250, TIER_2K …), and how it rates the number
  -- (RED or UNKNOWN); null until it has reported them.
  messaging_limit text,
  quality text,
  -- The platform's last warning about the account, which may still send.
  platform_notice text,
  -- When each of these became true at the platform: an event from before changes nothing.
  account_status_at timestamptz not null default '-infinity'::timestamptz,
  messaging_limit_at timestamptz not null default '-infinity'::timestamptz,
  quality_at timestamptz not null default '-infinity'::timestamptz,
  platform_notice_at timestamptz not null default '-infinity'::timestamptz,
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
    check (status in ('active', 'stopped') and (status = 'stopped') = (stopped_reason is not null)),
  constraint senders_stopped_for_good_check check (status = 'stopped' or not stopped_for_good),
  constraint senders_stopped_by_account_check check (status = 'stopped' or not stopped_by_account),
  constraint senders_stopped_until_check check (stopped_until is null or stopped_by_account)
);
create index senders_waba_idx on outbound.senders (waba_id);
-- Whether an event of the platform is about a sender of ours.
create index senders_provider_idx on outbound.senders (provider_id);
create index senders_stopped_until_idx on outbound.senders (stopped_until) where stopped_until is not null;
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
  -- When the platform responded again after the breaker had been open.
  reached_at timestamptz,
  constraint sender_pace_pkey primary key (company_id, sender_id),
  constraint sender_pace_sender_fkey foreign key (company_id, sender_id)
    references outbound.senders (company_id, id) on delete cascade,
  constraint sender_pace_throttle_check check (throttle > 0 and throttle <= 1)
) with (fillfactor = 30);
alter table outbound.sender_pace enable row level security;

-- When a claim looks at each sender next. A claim reads the turns that are due and nothing else of the queue's senders, so
-- that what other senders have waiting for later costs it nothing.
--
-- The rule: a turn is never later than the moment at which its sender may send something. `ready_at` is what the sender
-- itself waits for (plan_sender_turns), `due_at` the later of that and of the first `run_at` it has waiting. A
-- transaction that adds work to the queue, or brings it forward, locks the turn and moves it forward (wake_senders),
-- also when there is nothing to move; a transaction that moves it back locks it first and only then looks at the queue.
create table outbound.sender_turns (
  company_id uuid not null,
  sender_id uuid not null,
  -- Not before this time: its bucket is empty, it rests; infinity while it is stopped or has no free line.
  ready_at timestamptz not null default '-infinity',
  -- infinity while nothing waits.
  due_at timestamptz not null default 'infinity',
  constraint sender_turns_pkey primary key (company_id, sender_id),
  constraint sender_turns_sender_fkey foreign key (company_id, sender_id)
    references outbound.senders (company_id, id) on delete cascade,
  constraint sender_turns_due_check check (due_at >= ready_at)
) with (fillfactor = 50);
create index sender_turns_due_idx on outbound.sender_turns (due_at);
alter table outbound.sender_turns enable row level security;

create function outbound.add_sender_state()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.sender_pace (company_id, sender_id) values (new.company_id, new.id);
  insert into outbound.sender_turns (company_id, sender_id, ready_at)
  values (new.company_id, new.id, case new.status when 'active' then '-infinity' else 'infinity' end::timestamptz);
  return null;
end
$$;
revoke execute on function outbound.add_sender_state from public;
create trigger senders_add_state after insert on outbound.senders
  for each row execute function outbound.add_sender_state();

-- The variables of a text, in the order they stand in it; null when it has none.
create function outbound.variables_of(p_text text)
returns text
language sql immutable security invoker set search_path = ''
as $$
  select string_agg(v.match[1], ',' order by v.place)
  from regexp_matches(p_text, '\{\{\s*(\w+)\s*\}\}', 'g') with ordinality as v(match, place)
$$;
revoke execute on function outbound.variables_of from public;

-- A fingerprint of what a message of a template must supply, and of nothing else: the format of a media header, the
-- variables of each text in their order, and of the buttons those that need a value, with their places and addresses.
-- Wording, footers, labels and static buttons are not part of it, nor are examples: the platform gives the example of a
-- media header another address each time it is asked. Of parts we do not know everything else counts.
create function outbound.template_shape(p_parameter_format text, p_components jsonb)
returns text
language sql immutable security invoker set search_path = ''
as $$
  select md5(p_parameter_format || coalesce(string_agg(p.type || ' ' || p.needs, E'\n' order by p.type, p.needs), ''))
  from (
    select upper(c.value ->> 'type') as type,
      case upper(c.value ->> 'type')
        when 'HEADER' then coalesce(
          nullif(upper(c.value ->> 'format'), 'TEXT'), outbound.variables_of(c.value ->> 'text'))
        when 'BODY' then outbound.variables_of(c.value ->> 'text')
        when 'FOOTER' then outbound.variables_of(c.value ->> 'text')
        when 'BUTTONS' then (
          select string_agg(b.place || ' ' || upper(b.value ->> 'type') || ' ' || coalesce(b.value ->> 'url', ''), E'\n'
            order by b.place)
          from jsonb_array_elements(
            case jsonb_typeof(c.value -> 'buttons') when 'array' then c.value -> 'buttons' else '[]' end
          ) with ordinality as b(value, place)
          where upper(b.value ->> 'type') not in ('URL', 'QUICK_REPLY', 'PHONE_NUMBER')
            or outbound.variables_of(b.value ->> 'url') is not null
        )
        else (c.value - 'example')::text
      end as needs
    from jsonb_array_elements(p_components) as c
  ) as p
  where p.needs is not null
$$;
revoke execute on function outbound.template_shape from public;

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
  -- Changes when what a message must supply has changed.
  shape text not null generated always as (outbound.template_shape(parameter_format, components)) stored,
  -- Why it was rejected, paused or taken out of use.
  rejected_reason text,
  -- GREEN, YELLOW, RED or UNKNOWN, as the platform rates it; null until it has said so.
  quality text,
  -- When each of these became true at the platform: what an event reports from before is out of date.
  status_at timestamptz not null default '-infinity',
  category_at timestamptz not null default '-infinity',
  quality_at timestamptz not null default '-infinity',
  -- When the last try began that the platform refused because of the template: an approval from before is out of date. Not
  -- part of status_at, because a refusal does not tell since when the template is in which state.
  refused_at timestamptz not null default '-infinity'::timestamptz,
  -- When somebody else than a sync last told us of any of them: a list that was begun before does not know of it.
  told_at timestamptz not null default '-infinity',
  -- It became usable, or ceased to be, and its campaigns have still to be let go or held (settle_templates).
  unsettled boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint templates_pkey primary key (company_id, id),
  constraint templates_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint templates_name_key unique (company_id, waba_id, name, language),
  constraint templates_components_check check (jsonb_typeof(components) = 'array')
);
create index templates_waba_idx on outbound.templates (waba_id, name);
create index templates_unsettled_idx on outbound.templates (company_id, id) where unsettled;
alter table outbound.templates enable row level security;

-- Whoever changes the state: a webhook, a sync, an operator, a refused message.
create function outbound.unsettle_template()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  new.unsettled := true;
  return new;
end
$$;
revoke execute on function outbound.unsettle_template from public;
create trigger templates_unsettle before update of status on outbound.templates
  for each row when ((old.status = 'approved') <> (new.status = 'approved'))
  execute function outbound.unsettle_template();
