-- Records that a user id belongs to a number, or that we have seen it. What is suppressed or consented under one of the
-- two is copied to the other when they are first linked.
create function outbound.link_user_id(p_company_id uuid, p_user_id text, p_number text, p_username text)
returns void
language plpgsql security invoker set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
  v_was record;
begin
  select u.number, u.username into v_was from outbound.user_ids as u
  where u.company_id = p_company_id and u.user_id = p_user_id;
  if found and (p_number is null or v_was.number = p_number) and (p_username is null or v_was.username = p_username) then
    return;
  end if;
  insert into outbound.user_ids as u (company_id, user_id, number, username)
  values (p_company_id, p_user_id, p_number, p_username)
  on conflict on constraint user_ids_pkey do update
    set number = coalesce(excluded.number, u.number), username = coalesce(excluded.username, u.username),
      seen_at = now();
  if p_number is not null and v_was.number is distinct from p_number then
    perform outbound.copy_contact(p_company_id, p_number, p_user_id);
    perform outbound.copy_contact(p_company_id, p_user_id, p_number);
  end if;
end
$$;
revoke execute on function outbound.link_user_id from public;

-- Copies the suppressions, consents and rests of one address to another of the same person.
create function outbound.copy_contact(p_company_id uuid, p_from text, p_to text)
returns void
language plpgsql security invoker set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
begin
  insert into outbound.suppressions (company_id, address, channel, category, source, at, evidence)
  select s.company_id, p_to, s.channel, s.category, s.source, s.at, s.evidence
  from outbound.suppressions as s
  where s.company_id = p_company_id and s.address = p_from and s.lifted_at is null
  on conflict (company_id, address, channel, category, source) where lifted_at is null do nothing;

  insert into outbound.consents (
    company_id, address, channel, category, status, method, detail, consented_at, source, created_at
  )
  select c.company_id, p_to, c.channel, c.category, c.status, c.method, c.detail, c.consented_at, c.source, c.created_at
  from outbound.consents as c
  where c.company_id = p_company_id and c.address = p_from
  on conflict (company_id, address, channel, category, status, consented_at) do nothing;

  insert into outbound.marketing_rests as r (company_id, address, until)
  select m.company_id, p_to, m.until from outbound.marketing_rests as m
  where m.company_id = p_company_id and m.address = p_from
  on conflict on constraint marketing_rests_pkey do update set until = greatest(r.until, excluded.until);
end
$$;
revoke execute on function outbound.copy_contact from public;
