-- Requests a sync of the templates of a sender's account.
create function outbound.request_template_sync(p_company_id uuid, p_sender_id uuid)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  update outbound.senders as s set template_sync_requested = true
  where s.company_id = p_company_id and s.id = p_sender_id and not s.template_sync_requested;
end
$$;
revoke execute on function outbound.request_template_sync from public;
