-- Marks a template that became usable or unusable, whatever changed it: a webhook, a sync, an operator, a refused
-- message. settle_templates then releases or holds its campaigns.
create function outbound.unsettle_template()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  new.unsettled := true;
  new.settled_to := null;
  return new;
end
$$;
revoke execute on function outbound.unsettle_template from public;
