-- Gives the test company of a live company the WhatsApp senders and the templates that the live company has now. A sender
-- keeps its number, and a template its id. Accounts get a name that no platform reports about. Returns the id of the test
-- company; null if there is none.
create function outbound.refresh_test_company(p_live_company_id uuid)
returns uuid
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_company_id uuid := (select c.id from outbound.companies as c where c.live_company_id = p_live_company_id);
  v_account text;
begin
  if v_company_id is null then
    return null;
  end if;
  insert into outbound.senders (company_id, channel, number, platform_id, waba_id, live_sender_id, created_at)
  -- The oldest is the one that a request without a sender means.
  select v_company_id, s.channel, s.number, s.id::text, 'test:' || s.waba_id, s.id, s.created_at
  from outbound.senders as s where s.company_id = p_live_company_id and s.channel = 'whatsapp'
  on conflict do nothing;
  for v_account in
    select distinct s.waba_id from outbound.senders as s
    where s.company_id = p_live_company_id and s.channel = 'whatsapp' order by s.waba_id
  loop
    -- sync_templates would give new ones another id.
    insert into outbound.templates (
      company_id, id, waba_id, platform_template_id, name, language, category, status, parameter_format, components
    )
    select v_company_id, t.id, 'test:' || v_account, t.platform_template_id, t.name, t.language, t.category, t.status,
      t.parameter_format, t.components
    from outbound.templates as t where t.company_id = p_live_company_id and t.waba_id = v_account
    on conflict do nothing;
    perform outbound.sync_templates(v_company_id, 'test:' || v_account, (
      select coalesce(jsonb_agg(to_jsonb(t)), '[]') from outbound.templates as t
      where t.company_id = p_live_company_id and t.waba_id = v_account
    ));
  end loop;
  return v_company_id;
end
$$;
revoke execute on function outbound.refresh_test_company from public;
