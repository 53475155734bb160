-- The virtual agents that make a company's calls. What an agent says and how it
-- sounds is kept at the voice platform; here is which of them may call.
create table outbound.voice_agents (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  -- The platform's id of the agent.
  provider_agent_id text not null,
  name text not null,
  -- disabled: no request is accepted for it, and what is queued with it is not called any more.
  status text not null default 'active',
  created_at timestamptz not null default now(),
  constraint voice_agents_pkey primary key (company_id, id),
  constraint voice_agents_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint voice_agents_provider_key unique (company_id, provider_agent_id),
  constraint voice_agents_provider_check check (length(provider_agent_id) between 1 and 200),
  constraint voice_agents_name_check check (length(btrim(name)) between 1 and 200),
  constraint voice_agents_status_check check (status in ('active', 'disabled'))
);
alter table outbound.voice_agents enable row level security;
