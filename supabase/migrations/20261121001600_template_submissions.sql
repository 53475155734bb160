-- Submitting a template for review asks another system, and the process may die before, while, or after it does. So the
-- submission is recorded first (begin), and what the platform answered becomes a template in the same transaction that
-- removes the record (finish). A record that is left over says: look whether the platform has it. It is nowhere listed,
-- can never be sent, and holds up nobody: the next request for the same name takes it over, and a sync removes it.
create table outbound.template_submissions (
  company_id uuid not null,
  waba_id text not null,
  name text not null,
  language text not null,
  -- Whose it is: changes when a later request takes it over.
  id uuid not null,
  -- Fingerprint of what was submitted, so that a repetition is told from another template of the same name.
  content_hash text not null,
  -- The Idempotency-Key it came with, if any, and the fingerprint of that request.
  idempotency_key text,
  request_hash text,
  -- Renewed while somebody is at work on it.
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

-- What a caller may do with a business account: whether the user belongs to the company (null without a user), whether
-- the account is the company's, and a token that opens it, of a sender that works if there is any.
create function outbound.template_account(p_company_id uuid, p_waba_id text, p_user_id uuid)
returns table (is_member boolean, api_access boolean, is_known boolean, sender_id uuid, token_sealed text)
language sql stable security invoker set search_path = ''
as $$
  select p_user_id is null or exists (
      select 1 from outbound.company_members as m where m.company_id = c.id and m.user_id = p_user_id
    ),
    c.api_access, s.waba_id is not null, s.id, s.token_sealed
  from outbound.companies as c
  left join lateral (
    select s.waba_id, s.id, s.token_sealed from outbound.senders as s
    where s.company_id = c.id and s.channel = 'whatsapp' and s.waba_id = p_waba_id
    order by s.token_sealed is null, s.status = 'stopped', s.created_at, s.id limit 1
  ) as s on true
  where c.id = p_company_id
$$;
revoke execute on function outbound.template_account from public;

-- The answer to a request that made a template, in the contract's order of fields. Its status is always the first one.
create function outbound.template_answer(p_template_id uuid, p_name text, p_submitted_at timestamptz)
returns json
language sql stable security invoker set search_path = ''
as $$
  select json_build_object('success', true, 'message', 'Template submitted for review', 'template',
    json_build_object('id', p_template_id, 'name', p_name, 'status', 'pending',
      'submitted_at', to_char(p_submitted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')))
$$;
revoke execute on function outbound.template_answer from public;

-- Remembers the first answer to a request with an idempotency key, {endpoint, key, request_hash} or null.
create function outbound.remember_answer(p_company_id uuid, p_idempotency jsonb, p_answer json)
returns void
language sql security invoker set search_path = ''
as $$
  insert into outbound.idempotency_keys as i (company_id, endpoint, key, request_hash, answer)
  select p_company_id, r.endpoint, r.key, r.request_hash, p_answer
  from jsonb_to_record(p_idempotency) as r(endpoint text, key text, request_hash text)
  where r.key is not null
  on conflict on constraint idempotency_keys_pkey do update
    set request_hash = excluded.request_hash, answer = excluded.answer, created_at = now()
    where i.created_at <= now() - interval '24 hours'
$$;
revoke execute on function outbound.remember_answer from public;

-- Records that a template is about to be submitted. p_submission: {id, waba_id, name, language, content_hash, lease_s,
-- idempotency {endpoint, key, request_hash} or null}. outcome:
--   replayed (answer: the first one), key_reused, in_use (the first request is still at work; wait_s),
--   exists (the company has this name and language; template_id, template_status),
--   started, or taken_over: an earlier request left its record behind; repeated says whether it submitted the same.
create function outbound.begin_template_submission(p_company_id uuid, p_submission jsonb)
returns table (
  outcome text, answer json, wait_s int, template_id uuid, template_status text, repeated boolean
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_new record;
  v_key record;
  v_first record;
  v_open outbound.template_submissions;
  v_template record;
begin
  select * into v_new from jsonb_to_record(p_submission) as n(
    id uuid, waba_id text, name text, language text, content_hash text, lease_s int, idempotency jsonb
  );
  select * into v_key from jsonb_to_record(coalesce(nullif(v_new.idempotency, 'null'), '{}')) as k(
    endpoint text, key text, request_hash text
  );
  -- The key's lock before the name's, everywhere: requests that share only one of them cannot wait for each other.
  if v_key.key is not null then
    perform pg_advisory_xact_lock(hashtextextended('template key ' || p_company_id || ' ' || v_key.key, 0));
  end if;
  perform pg_advisory_xact_lock(hashtextextended(
    'template ' || p_company_id || ' ' || v_new.waba_id || ' ' || v_new.name || ' ' || v_new.language, 0));

  if v_key.key is not null then
    select i.request_hash, i.answer into v_first from outbound.idempotency_keys as i
    where i.company_id = p_company_id and i.endpoint = v_key.endpoint and i.key = v_key.key
      and i.created_at > now() - interval '24 hours';
    if found then
      outcome := case when v_first.request_hash = v_key.request_hash then 'replayed' else 'key_reused' end;
      answer := case when outcome = 'replayed' then v_first.answer end;
      return next;
      return;
    end if;
    select * into v_open from outbound.template_submissions as s
    where s.company_id = p_company_id and s.idempotency_key = v_key.key;
    if found and (v_open.request_hash <> v_key.request_hash or v_open.lease_until > now()) then
      outcome := case when v_open.request_hash <> v_key.request_hash then 'key_reused' else 'in_use' end;
      wait_s := outbound.seconds_until(v_open.lease_until);
      return next;
      return;
    end if;
  end if;

  select * into v_open from outbound.template_submissions as s
  where s.company_id = p_company_id and s.waba_id = v_new.waba_id and s.name = v_new.name
    and s.language = v_new.language;
  repeated := coalesce(v_open.content_hash = v_new.content_hash, false);
  -- What is disabled may have been deleted on the platform: that is for the platform to say.
  select t.id, t.status, t.created_at into v_template from outbound.templates as t
  where t.company_id = p_company_id and t.waba_id = v_new.waba_id and t.name = v_new.name
    and t.language = v_new.language and t.status <> 'disabled';
  if v_template.id is not null then
    -- A sync has found what the request with this key left behind: this is the answer it would have got.
    if v_key.key is not null and v_open.idempotency_key = v_key.key and v_template.created_at >= v_open.started_at then
      outcome := 'replayed';
      answer := outbound.template_answer(v_template.id, v_new.name, v_open.started_at);
      perform outbound.remember_answer(p_company_id, v_new.idempotency, answer);
      delete from outbound.template_submissions as s
      where s.company_id = p_company_id and s.id = v_open.id;
    else
      outcome := 'exists';
      template_id := v_template.id;
      template_status := v_template.status;
    end if;
    return next;
    return;
  end if;

  outcome := case when v_open.id is null then 'started' else 'taken_over' end;
  insert into outbound.template_submissions as s (
    company_id, waba_id, name, language, id, content_hash, idempotency_key, request_hash, lease_until
  ) values (
    p_company_id, v_new.waba_id, v_new.name, v_new.language, v_new.id, v_new.content_hash, v_key.key,
    v_key.request_hash, now() + make_interval(secs => v_new.lease_s)
  )
  on conflict on constraint template_submissions_pkey do update
    set id = excluded.id, content_hash = excluded.content_hash, idempotency_key = excluded.idempotency_key,
      request_hash = excluded.request_hash, lease_until = excluded.lease_until;
  return next;
end
$$;
revoke execute on function outbound.begin_template_submission from public;

-- Says until when somebody is at work on a submission; p_lease_s 0: nobody is any more. Changes nothing once another
-- request took it over.
create function outbound.lease_template_submission(p_company_id uuid, p_id uuid, p_lease_s int)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.template_submissions as s set lease_until = now() + make_interval(secs => p_lease_s)
  where s.company_id = p_company_id and s.id = p_id
$$;
revoke execute on function outbound.lease_template_submission from public;

-- Forgets a submission the platform surely did not take.
create function outbound.drop_template_submission(p_company_id uuid, p_id uuid)
returns void
language sql security invoker set search_path = ''
as $$
  delete from outbound.template_submissions as s where s.company_id = p_company_id and s.id = p_id
$$;
revoke execute on function outbound.drop_template_submission from public;

-- Makes what the platform took a template, and remembers the answer. p_template: {waba_id, provider_template_id, name,
-- language, category, status, rejected_reason, parameter_format, components}. When the platform's word on the very
-- template came first, by a sync or another request, its state is kept. version: what confirm_template asks for.
create function outbound.finish_template_submission(
  p_company_id uuid, p_id uuid, p_template jsonb, p_idempotency jsonb
)
returns table (template_id uuid, version text, answer json)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_started timestamptz;
  v_template record;
begin
  select s.started_at into v_started from outbound.template_submissions as s
  where s.company_id = p_company_id and s.id = p_id;
  insert into outbound.templates as t (
    company_id, waba_id, provider_template_id, name, language, category, status, rejected_reason,
    parameter_format, components
  )
  select p_company_id, n.waba_id, n.provider_template_id, n.name, n.language, n.category, n.status,
    n.rejected_reason, n.parameter_format, n.components
  from jsonb_to_record(p_template) as n(
    waba_id text, provider_template_id text, name text, language text, category text, status text,
    rejected_reason text, parameter_format text, components jsonb
  )
  on conflict on constraint templates_name_key do update
    set provider_template_id = excluded.provider_template_id, category = excluded.category,
      status = excluded.status, rejected_reason = excluded.rejected_reason,
      parameter_format = excluded.parameter_format, components = excluded.components,
      created_at = now(), updated_at = now()
    where t.provider_template_id is distinct from excluded.provider_template_id;
  -- After the template, as a sync does it: the two must not wait for each other.
  delete from outbound.template_submissions as s where s.company_id = p_company_id and s.id = p_id;
  select t.id, t.name, t.updated_at into v_template
  from jsonb_to_record(p_template) as n(waba_id text, name text, language text)
  join outbound.templates as t on t.company_id = p_company_id and t.waba_id = n.waba_id and t.name = n.name
    and t.language = n.language;
  template_id := v_template.id;
  version := v_template.updated_at::text;
  answer := outbound.template_answer(v_template.id, v_template.name, coalesce(v_started, now()));
  perform outbound.remember_answer(p_company_id, nullif(p_idempotency, 'null'), answer);
  return next;
end
$$;
revoke execute on function outbound.finish_template_submission from public;

-- Takes over what the platform says of a template just made, unless something else was heard of it since p_version: the
-- platform may judge it, and tell, before it is stored here. p_template as in finish_template_submission.
create function outbound.confirm_template(
  p_company_id uuid, p_template_id uuid, p_version text, p_template jsonb
)
returns void
language sql security invoker set search_path = ''
as $$
  update outbound.templates as t
  set category = n.category, status = n.status, rejected_reason = n.rejected_reason,
    parameter_format = n.parameter_format, components = n.components, updated_at = now(),
    -- The platform's clock and ours may differ: an event from about the same time still counts.
    status_at = case when t.status <> n.status then now() - interval '10 seconds' else t.status_at end
  from jsonb_to_record(p_template) as n(
    category text, status text, rejected_reason text, parameter_format text, components jsonb
  )
  where t.company_id = p_company_id and t.id = p_template_id and t.updated_at = p_version::timestamptz
    and (t.category, t.status, t.rejected_reason, t.parameter_format, t.components)
      is distinct from (n.category, n.status, n.rejected_reason, n.parameter_format, n.components)
$$;
revoke execute on function outbound.confirm_template from public;

-- Removes what nobody is at work on, once all templates of the account were listed since p_listed_at and written: the
-- platform has it, and so do we, or it never got it. With an idempotency key it stays for that key's day.
create function outbound.settle_template_submissions(p_company_id uuid, p_waba_id text, p_listed_at timestamptz)
returns void
language sql security invoker set search_path = ''
as $$
  delete from outbound.template_submissions as s
  where s.company_id = p_company_id and s.waba_id = p_waba_id and s.lease_until <= p_listed_at
    and (s.idempotency_key is null or s.started_at < p_listed_at - interval '24 hours')
$$;
revoke execute on function outbound.settle_template_submissions from public;
