-- Hands out up to p_limit business accounts whose templates have not been read for an hour, or for a minute after a
-- sync was requested. Each goes to one caller only, with a token that opens it: of a sender that works, if there is
-- any.
create function outbound.take_accounts_to_sync(p_limit int)
returns table (company_id uuid, waba_id text, sender_id uuid, token_sealed text)
language sql security invoker set search_path = ''
as $$
  with due as (
    select s.company_id, s.id from outbound.senders as s
    where s.channel = 'whatsapp' and s.token_sealed is not null
      and (
        coalesce(s.template_sync_taken_at, s.created_at) <= now() - interval '1 hour'
        or s.template_sync_requested and coalesce(s.template_sync_taken_at, '-infinity') <= now() - interval '1 minute'
      )
    order by s.id limit p_limit for no key update skip locked
  ),
  taken as (
    update outbound.senders as s set template_sync_taken_at = now(), template_sync_requested = false
    from due where s.company_id = due.company_id and s.id = due.id
    returning s.company_id, s.waba_id, s.id, s.token_sealed, s.status, s.created_at
  )
  select distinct on (t.company_id, t.waba_id) t.company_id, t.waba_id, t.id, t.token_sealed
  from taken as t
  order by t.company_id, t.waba_id, t.status = 'stopped', t.created_at
$$;
revoke execute on function outbound.take_accounts_to_sync from public;
