-- The tenants. Every table of a tenant is led by company_id.
create table outbound.companies (
  id uuid not null default outbound.new_company_id(),
  name text not null,
  api_access boolean not null default true,
  -- The fate of a message whose outcome the platform never reported: `resend` retries it, `hold` fails it.
  on_unknown text not null default 'resend',
  -- A campaign does not call a number again within this many seconds.
  call_gap_s int not null default 60,
  -- By ISO 4217: what the platform bills the company in; null: the only currency of the rate card.
  currency text,
  created_at timestamptz not null default now(),
  -- The daily caps (UTC) for visitors of all widgets together. Limits per address do not stop an attack from many
  -- addresses; these do, and so they bound what strangers can cost the company.
  max_voice_sessions_per_day int not null default 1000,
  max_voice_minutes_per_day int not null default 3000,
  max_conversations_per_day int not null default 5000,
  max_stored_mb_per_day int not null default 250,
  -- The operator's: how far members may raise their key's limits, the voice minutes of visitors, and a sender's messages
  -- per second. The command line sets these, and may set a limit above them.
  daily_quota_ceiling int not null default 100000,
  rate_limit_ceiling int not null default 600,
  voice_minutes_ceiling int not null default 3000,
  sender_rate_ceiling int not null default 80,
  -- Whether the people whom requests and the platform name become contacts (named_people).
  learn_contacts boolean not null default false,
  -- Of a test company: the live company that it belongs to. Nothing that it sends reaches a platform.
  live_company_id uuid,
  constraint companies_pkey primary key (id),
  constraint companies_live_company_key unique (live_company_id),
  constraint companies_live_company_fkey foreign key (live_company_id)
    references outbound.companies (id) on delete cascade,
  constraint companies_name_check check (length(name) between 1 and 200),
  constraint companies_on_unknown_check check (on_unknown in ('resend', 'hold')),
  constraint companies_currency_check check (currency ~ '^[A-Z]{3}$'),
  constraint companies_call_gap_check check (call_gap_s between 0 and 86400),
  constraint companies_caps_check check (
    least(max_voice_sessions_per_day, max_voice_minutes_per_day, max_conversations_per_day, max_stored_mb_per_day) >= 0
  ),
  constraint companies_ceilings_check check (
    least(daily_quota_ceiling, rate_limit_ceiling, voice_minutes_ceiling, sender_rate_ceiling) >= 0
  )
);
alter table outbound.companies enable row level security;
create trigger companies_delete_data after delete on outbound.companies
  for each row execute function outbound.delete_company_data();

-- The users that belong to a company, and those who were invited to. user_id is the id of a user of the auth server.
-- There is no foreign key, because that server may keep its tables in another database.
create table outbound.memberships (
  company_id uuid not null,
  user_id uuid not null,
  -- owner: everything; operator: all but keys and members; viewer: reads.
  role text not null default 'owner',
  created_at timestamptz not null default now(),
  -- Null while it is pending: only the person, or the command line, makes the person a member.
  accepted_at timestamptz default now(),
  -- The address as the owner wrote it: all that is shown of the person before they accept.
  invited_email text,
  constraint memberships_pkey primary key (company_id, user_id),
  constraint memberships_role_check check (role in ('owner', 'operator', 'viewer')),
  constraint memberships_pending_check check ((accepted_at is null) = (invited_email is not null)),
  constraint memberships_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);
create index memberships_created_idx on outbound.memberships (company_id, created_at, user_id);
create index memberships_user_idx on outbound.memberships (user_id);
alter table outbound.memberships enable row level security;

-- The members. Whatever asks who may do something asks this, so that a pending membership gives no access.
create view outbound.company_members with (security_invoker = true) as
  select m.company_id, m.user_id, m.role, m.created_at
  from outbound.memberships as m where m.accepted_at is not null;
revoke all on outbound.company_members from public;
