-- Closes a thread: it leaves what waits, until one side writes again. Returns its status before; null when there is none.
create function outbound.close_thread(p_company_id uuid, p_id uuid)
returns text
language plpgsql security invoker set search_path = ''
as $$
declare
  v_status text;
begin
  select t.status into v_status from outbound.contact_threads as t
  where t.company_id = p_company_id and t.id = p_id for no key update;
  update outbound.contact_threads as t set status = 'closed'
  where t.company_id = p_company_id and t.id = p_id and t.status = 'open';
  return v_status;
end
$$;
revoke execute on function outbound.close_thread from public;
