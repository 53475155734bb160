-- Returns the messages of a company's conversations whose beginning contains a text, of at least three characters, the
-- newest first, with their conversations. Of each kind it looks at 1,000 messages at most (is_complete: at all), so that
-- a word which every message has costs no more.
create function outbound.search_messages(p_company_id uuid, p_text text, p_limit int)
returns table (
  message_id uuid, conversation_id uuid, kind text, from_contact boolean, text text, at timestamptz, is_complete boolean
)
language sql stable security invoker set search_path = ''
as $$
  with sought as materialized (
    select outbound.search_terms(p_company_id, p_text) as terms,
      '%' || replace(replace(replace(outbound.fold_text(p_text), '\', '\\'), '%', '\%'), '_', '\_') || '%' as pattern
  ),
  written as materialized (
    select m.id, m.sender_id, m.number, m.user_id, m.direction, m.text, m.at
    from outbound.contact_messages as m
    where outbound.search_terms(m.company_id, left(m.text, 500)) @> (select s.terms from sought as s)
      -- Written so that no index on the company matches it: it would read all of the company's messages.
      and m.text is not null and case when m.company_id = p_company_id then true end
      and outbound.fold_text(left(m.text, 500)) like (select s.pattern from sought as s)
    limit 1000
  ),
  chatted as materialized (
    select m.id, m.conversation_id, m.author, m.text, m.created_at
    from outbound.conversation_messages as m
    where outbound.search_terms(m.company_id, left(m.text, 500)) @> (select s.terms from sought as s)
      and case when m.company_id = p_company_id then true end
      and outbound.fold_text(left(m.text, 500)) like (select s.pattern from sought as s)
    limit 1000
  ),
  newest as materialized (
    select w.id, null::uuid as conversation_id, w.sender_id, w.number, w.user_id, w.direction = 'in' as from_contact,
      w.text, w.at
    from written as w
    union all
    select c.id, c.conversation_id, null, null, null, c.author = 'visitor', c.text, c.created_at from chatted as c
    order by 8 desc, 1 desc limit p_limit
  )
  select n.id, coalesce(n.conversation_id, t.id), case when n.sender_id is null then 'chat' else 'whatsapp' end,
    n.from_contact, n.text, n.at,
    (select count(*) from written) < 1000 and (select count(*) from chatted) < 1000
  from newest as n
  left join lateral (
    select o.id from unnest(outbound.addresses_of(p_company_id, n.number, n.user_id)) as known(address)
    cross join lateral (
      select t.id from outbound.contact_threads as t
      where t.sender_id = n.sender_id and t.address = known.address and t.company_id = p_company_id limit 1
    ) as o
    limit 1
  ) as t on n.sender_id is not null
  where coalesce(n.conversation_id, t.id) is not null
  order by n.at desc, n.id desc
$$;
revoke execute on function outbound.search_messages from public;
