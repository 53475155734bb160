-- Deletes what a company knows about a person by the given addresses, and the messages p_messages, which the caller has
-- locked. Returns the counts {user_ids, suppressions, consents, messages}. A step of erase_person.
create function outbound.delete_contact_data(p_company_id uuid, p_addresses text[], p_messages uuid[])
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_user_ids int;
  v_suppressions int;
  v_consents int;
begin
  delete from outbound.user_ids as u
  where u.company_id = p_company_id and (u.user_id = any (p_addresses) or u.number = any (p_addresses));
  get diagnostics v_user_ids = row_count;
  delete from outbound.number_aliases as s where s.company_id = p_company_id and s.number = any (p_addresses);
  delete from outbound.suppressions as s where s.company_id = p_company_id and s.address = any (p_addresses);
  get diagnostics v_suppressions = row_count;
  delete from outbound.consents as c where c.company_id = p_company_id and c.address = any (p_addresses);
  get diagnostics v_consents = row_count;
  delete from outbound.contact_messages as m where m.company_id = p_company_id and m.id = any (p_messages);
  delete from outbound.marketing_cooldowns as r where r.company_id = p_company_id and r.address = any (p_addresses);
  delete from outbound.marketing_sends as s where s.company_id = p_company_id and s.address = any (p_addresses);
  delete from outbound.test_recipients as t where t.company_id = p_company_id and t.number = any (p_addresses);
  return jsonb_build_object('user_ids', v_user_ids, 'suppressions', v_suppressions, 'consents', v_consents,
    'messages', cardinality(p_messages));
end
$$;
revoke execute on function outbound.delete_contact_data from public;
