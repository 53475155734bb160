-- Returns what a caller may do with a business account: whether the user may act for the company (true without a user),
-- whether the account is the company's, and a token that opens it, of a sender that works if there is any.
create function outbound.template_account(p_company_id uuid, p_waba_id text, p_user_id uuid)
returns table (is_member boolean, api_access boolean, is_known boolean, sender_id uuid, token_sealed text)
language sql stable security invoker set search_path = ''
as $$
  select p_user_id is null or exists (
      select 1 from outbound.company_members as m where m.company_id = c.id and m.user_id = p_user_id and m.role <> 'viewer'
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
