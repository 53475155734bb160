-- Returns the company of a key that a page shows, and one of its widgets. The key is the company's own access key (by
-- its hash) or a publishable one. No row when the key is not valid; no widget when it does not exist, is off, or
-- belongs to another company. A key that is limited to senders opens no widgets. Using a widget does not count against
-- the rate of the company's key: visitors are not the company's backend.
create function outbound.widget_for_key(p_key text, p_key_hash text, p_widget_id uuid)
returns table (
  company_id uuid, company_name text, api_access boolean, publishable boolean,
  widget_id uuid, kind text, config jsonb, allowed_origins text[]
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_company uuid;
  v_key uuid;
  v_publishable boolean := false;
begin
  select k.company_id, k.id into v_company, v_key from outbound.find_key(p_key_hash) as k where k.sender_ids is null;
  if found then
    update outbound.api_keys as k set last_used_at = now()
    where k.company_id = v_company and k.id = v_key
      and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute');
  else
    select p.company_id into v_company from outbound.publishable_keys as p where p.key = p_key and p.is_active;
    v_publishable := true;
  end if;
  return query select c.id, c.name, c.api_access, v_publishable, w.id, w.kind, w.config, w.allowed_origins
  from outbound.companies as c
  left join outbound.widgets as w on w.company_id = c.id and w.id = p_widget_id and w.is_active
  where c.id = v_company;
end
$$;
revoke execute on function outbound.widget_for_key from public;
