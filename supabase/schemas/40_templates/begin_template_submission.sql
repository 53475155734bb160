-- Records that a template is about to be submitted. p_submission: {id, waba_id, name, language, content_hash, lease_s,
-- idempotency {endpoint, key, request_hash} or null}. outcome:
--   replayed (answer: the first response), key_reused, in_use (the first request is still at work; wait_s),
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
  -- Always the key's lock before the name's: requests that share only one of them cannot deadlock.
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
  -- A disabled template may have been deleted on the platform, which decides whether the name is free.
  select t.id, t.status, t.created_at into v_template from outbound.templates as t
  where t.company_id = p_company_id and t.waba_id = v_new.waba_id and t.name = v_new.name
    and t.language = v_new.language and t.status <> 'disabled';
  if v_template.id is not null then
    -- A sync has found the template that the request with this key created: return that request's response.
    if v_key.key is not null and v_open.idempotency_key = v_key.key and v_template.created_at >= v_open.started_at then
      outcome := 'replayed';
      answer := outbound.template_answer(v_template.id, v_new.name, v_open.started_at);
      perform outbound.store_idempotent_response(p_company_id, v_new.idempotency, answer);
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
