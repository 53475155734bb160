set local lock_timeout = '2s';
set check_function_bodies = off;

alter table outbound.marketing_sends add column at timestamp with time zone;

-- Gives each address of a person what is known under the others: suppressions, consents, cooldowns, and the messages
-- that frequency caps count.
create or replace function outbound.share_between_addresses(p_company_id uuid, p_addresses text[])
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  insert into outbound.suppressions (company_id, address, channel, category, source, at, evidence)
  select distinct on (every.address, s.channel, s.category, s.source)
    p_company_id, every.address, s.channel, s.category, s.source, s.at, s.evidence
  from unnest(p_addresses) as known(address)
  cross join lateral (
    select o.channel, o.category, o.source, o.at, o.evidence from outbound.suppressions as o
    where o.company_id = p_company_id and o.address = known.address and o.lifted_at is null
  ) as s
  cross join unnest(p_addresses) as every(address)
  order by every.address, s.channel, s.category, s.source, s.at desc
  on conflict (company_id, address, channel, category, source) where lifted_at is null do nothing;

  insert into outbound.consents (
    company_id, address, channel, category, status, method, detail, consented_at, source, created_at
  )
  select p_company_id, every.address, c.channel, c.category, c.status, c.method, c.detail, c.consented_at, c.source,
    c.created_at
  from unnest(p_addresses) as known(address)
  cross join lateral (
    select o.* from outbound.consents as o where o.company_id = p_company_id and o.address = known.address
  ) as c
  cross join unnest(p_addresses) as every(address)
  order by every.address
  on conflict (company_id, address, channel, category, status, consented_at) do nothing;

  insert into outbound.marketing_cooldowns as r (company_id, address, until)
  select p_company_id, every.address, max(m.until)
  from unnest(p_addresses) as known(address)
  cross join lateral (
    select o.until from outbound.marketing_cooldowns as o where o.company_id = p_company_id and o.address = known.address
  ) as m
  cross join unnest(p_addresses) as every(address)
  group by every.address order by every.address
  on conflict on constraint marketing_cooldowns_pkey do update set until = greatest(r.until, excluded.until);

  insert into outbound.marketing_sends (company_id, address, notification_id, channel, day, at)
  select p_company_id, every.address, s.notification_id, s.channel, s.day, s.at
  from unnest(p_addresses) as known(address)
  cross join lateral (
    select o.* from outbound.marketing_sends as o where o.company_id = p_company_id and o.address = known.address
  ) as s
  cross join unnest(p_addresses) as every(address)
  order by every.address
  on conflict on constraint marketing_sends_pkey do nothing;
end
$$;

revoke execute on function outbound.share_between_addresses from public;

-- Returns whether a marketing message to the person with these addresses is over one of p_caps, [{channel, max, days,
-- since}, …]: the person may have received cap.max others of the cap's channel on the last cap.days days before p_day, that
-- day included. since: when the first of these days began in the zone of p_day. A person's number and user id may name zones
-- with different dates: a message counts by the date that it had in its own zone, and by the one that it has in this zone.
-- p_notification_id: the message itself, which does not count; null for one that is not stored.
create or replace function outbound.is_over_cap(
  p_company_id uuid, p_notification_id uuid, p_addresses text[], p_channel text, p_day date, p_caps jsonb
)
returns boolean
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return exists (
    select from jsonb_to_recordset(p_caps) as cap(channel text, max int, days int, since timestamptz)
    where cap.channel in ('any', p_channel) and cap.max <= (
      select count(distinct m.notification_id) from unnest(p_addresses) as known(address)
      -- One look-up per address and one per message, whatever the statistics say. The offset keeps the condition on
      -- the day out of the first one: the index of days would read the messages of all people.
      cross join lateral (
        select o.company_id, o.notification_id, o.channel, o.day, o.at from outbound.marketing_sends as o
        where o.company_id = p_company_id and o.address = known.address offset 0
      ) as m
      cross join lateral (
        select from outbound.notifications as n
        where n.company_id = m.company_id and n.id = m.notification_id
          and (
            n.status in ('sending', 'unconfirmed', 'sent', 'delivered', 'read') or n.error_code = 'outcome_unknown'
            or outbound.has_unknown_attempt(n.company_id, n.id)
          ) limit 1
      ) as leaving
      where m.notification_id is distinct from p_notification_id
        and (m.day > p_day - cap.days and m.day <= p_day + 1 or m.at >= cap.since)
        and (cap.channel = 'any' or m.channel = cap.channel)
    )
  );
end
$$;

revoke execute on function outbound.is_over_cap from public;

-- Returns what would become of marketing to people if it left now; nothing is counted.
-- p_recipients: [{number, user_id, day, caps}, …], with the day in the person's zone, and caps as is_over_cap takes them;
-- p_caps: those of recipients without (the last release).
-- Returns one row per recipient: ord (from 1), is_over (over one of the caps) and cooldown_until (until when marketing
-- waits because the platform spares the person; null: it does not wait).
create or replace function outbound.preview_marketing(p_company_id uuid, p_channel text, p_recipients jsonb, p_caps jsonb)
returns table (ord int, is_over boolean, cooldown_until timestamptz)
language plpgsql stable security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return query
  select r.ord::int,
    outbound.is_over_cap(
      p_company_id, null, outbound.addresses_of(p_company_id, r.number, r.user_id), p_channel, r.day,
      coalesce(r.caps, p_caps)
    ),
    case when p_channel = 'whatsapp' and exists (
      select from outbound.contact_rules as c where c.company_id = p_company_id and c.marketing_cooldown
    ) then (
      select max(rest.until) from (values (r.number), (r.user_id)) as a(address)
      cross join lateral (
        select m.until from outbound.marketing_cooldowns as m
        where m.company_id = p_company_id and m.address = a.address and m.until > now() limit 1
      ) as rest
    ) end
  from rows from (
    jsonb_to_recordset(p_recipients) as (number text, user_id text, day date, caps jsonb)
  ) with ordinality as r(number, user_id, day, caps, ord)
  order by r.ord;
end
$$;

revoke execute on function outbound.preview_marketing from public;

-- Counts marketing messages that are about to leave against their companies' frequency caps. A message is over a cap
-- when its person was sent cap.max others of the cap's channel on the last cap.days days, today included; it is then
-- not counted. A message is counted once, however often it is tried, on the day of its last attempt. What may have been
-- received counts: messages that left or are leaving (sending, unconfirmed, sent, delivered, read), and those with an
-- attempt of unknown outcome, whatever became of them. One that failed or was refused for now does not.
-- p_sends: [{company_id, notification_id, number, user_id, channel, day, caps}, …], with the day in the person's zone,
-- and caps as is_over_cap takes them.
-- Returns one row per message: ord (from 1), and whether it is over a cap.
--
-- Exact at any number of dispatchers: all addresses of all its persons are locked first, in order, until the
-- transaction ends. Call it in a transaction of its own. Read committed, each query sees what was committed before it.
create or replace function outbound.use_frequency_cap(p_sends jsonb)
returns table (ord int, is_over boolean)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_send record;
begin
  perform pg_advisory_xact_lock(known.lock) from (
    select distinct hashtextextended(s.company_id || address, 0) as lock
    from jsonb_to_recordset(p_sends) as s(company_id uuid, number text, user_id text)
    cross join unnest(outbound.addresses_of(s.company_id, s.number, s.user_id)) as address
    order by lock
  ) as known;

  for v_send in
    select s.*, outbound.addresses_of(s.company_id, s.number, s.user_id) as addresses
    from rows from (
      jsonb_to_recordset(p_sends) as (
        company_id uuid, notification_id uuid, number text, user_id text, channel text, day date, caps jsonb
      )
    ) with ordinality as s(company_id, notification_id, number, user_id, channel, day, caps, ord)
    order by s.ord
  loop
    ord := v_send.ord;
    is_over := outbound.is_over_cap(
      v_send.company_id, v_send.notification_id, v_send.addresses, v_send.channel, v_send.day, v_send.caps
    );
    if is_over then
      delete from outbound.marketing_sends as m
      where m.company_id = v_send.company_id and m.address = any (v_send.addresses)
        and m.notification_id = v_send.notification_id
        and not outbound.has_unknown_attempt(v_send.company_id, v_send.notification_id);
    else
      insert into outbound.marketing_sends (company_id, address, notification_id, channel, day, at)
      select v_send.company_id, address, v_send.notification_id, v_send.channel, v_send.day, now()
      from unnest(v_send.addresses) as address
      on conflict on constraint marketing_sends_pkey do update set day = excluded.day, at = excluded.at;
    end if;
    return next;
  end loop;
end
$$;

revoke execute on function outbound.use_frequency_cap from public;

-- Whether a text is a day that exists, as YYYY-MM-DD.
create or replace function outbound.is_date(p_text text)
returns boolean
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return p_text ~ '^[12]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$' and substr(p_text, 9)::int <= extract(
    day from make_date(substr(p_text, 1, 4)::int, substr(p_text, 6, 2)::int, 1) + interval '1 month - 1 day');
end
$$;

revoke execute on function outbound.is_date from public;

-- Returns the type that a value of an attribute has: number, boolean, date or text; null for what can be none.
create or replace function outbound.attribute_type(p_value jsonb)
returns text
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return case jsonb_typeof(p_value)
    when 'number' then 'number' when 'boolean' then 'boolean'
    when 'string' then case when outbound.is_date(p_value #>> '{}') then 'date' else 'text' end
  end;
end
$$;

revoke execute on function outbound.attribute_type from public;

-- Returns a value as an attribute of that type holds it: "12" of a number is 12. Null where it does not fit.
create or replace function outbound.attribute_value(p_value jsonb, p_type text)
returns jsonb
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  return case
    when jsonb_typeof(p_value) not in ('string', 'number', 'boolean') then null
    when p_type = 'text' then to_jsonb(p_value #>> '{}')
    when outbound.attribute_type(p_value) = p_type then p_value
    when p_type = 'number' and p_value #>> '{}' ~ '^-?\d{1,15}(\.\d{1,10})?$' then to_jsonb((p_value #>> '{}')::numeric)
    when p_type = 'boolean' and lower(p_value #>> '{}') in ('true', 'false') then to_jsonb((p_value #>> '{}')::boolean)
  end;
end
$$;

revoke execute on function outbound.attribute_value from public;

-- Gives attributes that a company does not have the type of their first value in p_attributes, [{name: value}, …]. A
-- company has 200 at most; MAX_ATTRIBUTES in _shared/people/attributes.ts is the same number.
create or replace function outbound.add_unknown_attributes(p_company_id uuid, p_attributes jsonb)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  insert into outbound.contact_attributes (company_id, name, type)
  select p_company_id, n.name, n.type
  from (
    select f.name, f.type, row_number() over (order by f.ord, f.name) as position
    from (
      select distinct on (u.name) u.name, outbound.attribute_type(u.value) as type, u.ord
      from (
        select v.key as name, v.value, g.ord
        from jsonb_array_elements(p_attributes) with ordinality as g(value, ord)
        cross join lateral jsonb_each(nullif(g.value, 'null')) as v
        where not exists (
          select from outbound.contact_attributes as a where a.company_id = p_company_id and a.name = v.key offset 0
        ) offset 0
      ) as u
      where outbound.attribute_type(u.value) is not null order by u.name, u.ord
    ) as f
  ) as n
  where n.position <= 200 - (
    select count(*) from outbound.contact_attributes as a where a.company_id = p_company_id
  )
  on conflict on constraint contact_attributes_pkey do nothing;
end
$$;

revoke execute on function outbound.add_unknown_attributes from public;

-- Returns what of p_attributes ({name: value}) a company's contacts can hold, as they hold it: each value as the type of
-- its attribute, those that do not fit left out.
create or replace function outbound.fitting_attributes(p_company_id uuid, p_attributes jsonb)
returns jsonb
language plpgsql stable security invoker set search_path = ''
as $$
begin
  return coalesce((
    select jsonb_object_agg(f.name, f.value) from (
      select v.key as name, outbound.attribute_value(v.value, (
        select a.type from outbound.contact_attributes as a where a.company_id = p_company_id and a.name = v.key
      )) as value
      from jsonb_each(p_attributes) as v
    ) as f
    where f.value is not null
  ), '{}');
end
$$;

revoke execute on function outbound.fitting_attributes from public;

-- fitting_attributes of one contact, whose unknown attributes are added before.
create or replace function outbound.attribute_values(p_company_id uuid, p_attributes jsonb)
returns jsonb
language plpgsql security invoker set search_path = ''
as $$
begin
  perform outbound.add_unknown_attributes(p_company_id, jsonb_build_array(p_attributes));
  return outbound.fitting_attributes(p_company_id, p_attributes);
end
$$;

revoke execute on function outbound.attribute_values from public;

-- Adds to contacts what p_people, as learn_contacts takes them, say, and makes those that do not exist. p_contacts: the
-- contact of each person, at its ord; null leaves a person out. No contact is there twice.
-- changed: whether anything but last_seen_at is new.
create or replace function outbound.fill_contacts(p_company_id uuid, p_people jsonb, p_source text, p_contacts uuid[])
returns table (ord int, contact_id uuid, created boolean, changed boolean)
-- In SQL, which plans each call: a plan that was made for the first contacts would go on reading all of the company's.
language sql security invoker set search_path = ''
-- A batch: one look-up per key.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
  select outbound.add_unknown_attributes(p_company_id, (
    select jsonb_agg(p.value -> 'attributes' order by p.ord)
    from jsonb_array_elements(p_people) with ordinality as p(value, ord) where p_contacts[p.ord] is not null
  ));
  with person as materialized (
    select p_company_id as company_id, p.ord::int, p_contacts[p.ord] as contact_id, p.addresses,
      coalesce(p.overwrite, false) as overwrite, p.name, p.language, p.timezone, p.country, p.tags,
      outbound.fitting_attributes(p_company_id, p.attributes) as attributes
    from rows from (jsonb_to_recordset(p_people) as (
      addresses jsonb, name text, language text, timezone text, country text, attributes jsonb, tags text[],
      overwrite boolean
    )) with ordinality
      as p(addresses, name, language, timezone, country, attributes, tags, overwrite, ord)
    where p_contacts[p.ord] is not null
  ),
  filled as materialized (
    select p.company_id, p.ord, p.contact_id, p.addresses, c.id is null as is_new,
      case when p.overwrite then coalesce(p.name, c.name) else coalesce(c.name, p.name) end as name,
      case when p.overwrite then coalesce(p.language, c.language) else coalesce(c.language, p.language) end as language,
      case when p.overwrite then coalesce(p.timezone, c.timezone) else coalesce(c.timezone, p.timezone) end as timezone,
      case when p.overwrite then coalesce(p.country, c.country) else coalesce(c.country, p.country) end as country,
      case when p.overwrite then coalesce(c.attributes, '{}') || p.attributes
        else p.attributes || coalesce(c.attributes, '{}') end as attributes,
      case when cardinality(p.tags) > 0 then outbound.all_tags(c.tags, p.tags) else coalesce(c.tags, '{}') end as tags,
      c as before, exists (
        select from jsonb_to_recordset(p.addresses) as g(kind text, address text)
        where not exists (
          select from outbound.contact_addresses as a
          where a.company_id = p_company_id and a.kind = g.kind and a.address = g.address offset 0
        )
      ) as has_new_address
    from person as p
    left join lateral (
      select o.* from outbound.contacts as o where o.company_id = p_company_id and o.id = p.contact_id
      limit 1 for no key update
    ) as c on true
  ),
  outcome as materialized (
    select f.*, (f.name, f.language, f.timezone, f.country, f.attributes, f.tags) is distinct from (
        (f.before).name, (f.before).language, (f.before).timezone, (f.before).country, (f.before).attributes,
        (f.before).tags) as is_filled
    from filled as f
  ),
  made as (
    insert into outbound.contacts (company_id, id, source, name, language, timezone, country, attributes, tags)
    select p_company_id, o.contact_id, p_source, o.name, o.language, o.timezone, o.country, o.attributes, o.tags
    from outcome as o where o.is_new
  ),
  updated as (
    update outbound.contacts as c
    set name = o.name, language = o.language, timezone = o.timezone, country = o.country, attributes = o.attributes,
      tags = o.tags, last_seen_at = now(), updated_at = case when o.is_filled then now() else c.updated_at end
    from outcome as o where not o.is_new and c.company_id = o.company_id and c.id = o.contact_id
  ),
  addressed as (
    insert into outbound.contact_addresses (company_id, kind, address, contact_id)
    select p_company_id, g.kind, g.address, o.contact_id
    from outcome as o cross join lateral jsonb_to_recordset(o.addresses) as g(kind text, address text)
    on conflict on constraint contact_addresses_pkey do nothing
  )
  select o.ord, o.contact_id, o.is_new, o.is_new or o.has_new_address or o.is_filled from outcome as o order by o.ord;
$$;

revoke execute on function outbound.fill_contacts from public;

-- Records people whom a company has come to know, and returns the contact of each, in their order (ord, from 1).
-- A person is found by any of their addresses, aliases of the numbers and linked user ids included, else made. Fills what
-- the contact lacks (of tags and addresses: adds), or what is given wins (overwrite); last_seen_at becomes now.
-- Two people may share an e-mail address: it finds no contact that has another number or user id (person_among).
-- Where the addresses belong to several contacts, they stay apart, and the first is the person: to merge is a person's
-- decision. Only what a website has signed (visitor) makes one contact of them (contacts_of_visitor).
-- p_people: [{addresses: [{kind, address}, …], name, language, timezone, country, attributes: {name: value}, tags,
-- overwrite, hashes}, …]; hashes are those of erased_contacts: people who were erased are not learned again from what a
-- request or the platform names (send, platform), and contact_id is null.
-- changed: whether anything but last_seen_at is new.
-- Nearly all people of a batch have nothing to do with each other (people_apart): these are learned in one statement, and
-- the others after them, one by one.
create or replace function outbound.learn_contacts(p_company_id uuid, p_people jsonb, p_source text)
returns table (ord int, contact_id uuid, created boolean, changed boolean)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_apart record;
  v_person record;
  v_found uuid[];
begin
  perform outbound.lock_people(p_company_id);
  select array_agg(p.is_apart order by p.ord) as are_apart, array_agg(p.is_erased order by p.ord) as are_erased,
    array_agg(case when p.is_apart then coalesce(p.contact_id, case when not p.is_erased then outbound.uuidv7() end) end
      order by p.ord) as contacts
  into v_apart from outbound.people_apart(p_company_id, p_people, p_source) as p;
  return query select * from outbound.fill_contacts(p_company_id, p_people, p_source, v_apart.contacts);

  for v_person in
    select p.* from jsonb_array_elements(p_people) with ordinality as p(value, ord)
    where v_apart.contacts[p.ord] is null order by p.ord
  loop
    ord := v_person.ord;
    contact_id := null;
    v_found := '{}';
    if not v_apart.are_apart[ord] then
      v_found := outbound.contacts_of(p_company_id, v_person.value -> 'addresses');
      if p_source = 'visitor' then
        v_found := outbound.contacts_of_visitor(p_company_id, v_found, v_person.value -> 'addresses');
        contact_id := v_found[1];
        perform outbound.merge_contacts(p_company_id, contact_id, other)
        from unnest(v_found[2:]) with ordinality as o(other, position) order by o.position;
      else
        contact_id := outbound.person_among(p_company_id, v_found, v_person.value -> 'addresses');
      end if;
    end if;
    if contact_id is null and v_apart.are_erased[ord] then
      created := false;
      changed := false;
    else
      select f.contact_id, f.created, f.changed or p_source = 'visitor' and cardinality(v_found) > 1
      into contact_id, created, changed
      from outbound.fill_contacts(p_company_id, jsonb_build_array(v_person.value), p_source,
        array[coalesce(contact_id, outbound.uuidv7())]) as f;
    end if;
    return next;
  end loop;
end
$$;

revoke execute on function outbound.learn_contacts from public;

-- Says of each of p_people, as learn_contacts takes them, in their order (ord, from 1), whether the person is apart: shares
-- no address and no contact with another of them, and has one contact at most (contact_id), which one of their numbers and
-- user ids finds, where they have any. Such people can be learned together. A visitor may be several contacts, so is not.
-- is_erased: one of the hashes is that of a person who was erased (send, platform).
create or replace function outbound.people_apart(p_company_id uuid, p_people jsonb, p_source text)
returns table (ord int, is_apart boolean, contact_id uuid, is_erased boolean)
-- In SQL, which plans each call: a plan that was made for the first contacts would go on reading all of the company's.
language sql stable security invoker set search_path = ''
-- A batch: one look-up per address.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
  with given as materialized (
    select p.ord::int, a.kind, a.address, p_source in ('send', 'platform') and exists (
      select from jsonb_array_elements_text(nullif(p.value -> 'hashes', 'null')) as h(hash)
      join outbound.erased_contacts as e on e.company_id = p_company_id and e.address_hash = h.hash
    ) as is_erased
    from jsonb_array_elements(p_people) with ordinality as p(value, ord)
    left join lateral jsonb_to_recordset(p.value -> 'addresses') as a(kind text, address text) on true
  ),
  known as (
    select g.ord, g.kind, g.address, g.is_erased from given as g
    union all
    select g.ord, case when other.address like '%.%' then 'user_id' else 'number' end, other.address, g.is_erased
    from given as g
    cross join lateral unnest(outbound.addresses_of(
      p_company_id, case g.kind when 'number' then g.address end, case g.kind when 'user_id' then g.address end
    )) as other(address)
    -- Few have others, and asking for them takes longer than all the rest.
    where case g.kind
      when 'number' then exists (
        select from outbound.number_aliases as s where s.company_id = p_company_id and s.number = g.address
      ) or exists (
        select from outbound.number_aliases as s where s.company_id = p_company_id and s.platform_number = g.address
      ) or exists (select from outbound.user_ids as u where u.company_id = p_company_id and u.number = g.address)
      when 'user_id' then exists (
        select from outbound.user_ids as u where u.company_id = p_company_id and u.user_id = g.address
      )
    end
  ),
  found as (
    select k.*, k.kind in ('number', 'user_id') as is_reached, a.contact_id as found_id,
      k.kind is not null and min(k.ord) over same_address < max(k.ord) over same_address
      or a.contact_id is not null and min(k.ord) over same_contact < max(k.ord) over same_contact as is_shared
    from known as k
    left join lateral (
      select o.contact_id from outbound.contact_addresses as o
      where o.company_id = p_company_id and o.kind = k.kind and o.address = k.address limit 1
    ) as a on true
    window same_address as (partition by k.kind, k.address), same_contact as (partition by a.contact_id)
  ),
  person as (
    select f.ord, f.is_erased, array_agg(distinct f.found_id) filter (where f.found_id is not null) as contacts,
      bool_or(f.is_shared) as is_shared, coalesce(bool_or(f.is_reached), false) as has_reached,
      coalesce(bool_or(f.is_reached and f.found_id is not null), false) as is_found_by_reached
    from found as f group by f.ord, f.is_erased
  )
  select p.ord, p_source <> 'visitor' and not p.is_shared and (
      p.contacts is null or cardinality(p.contacts) = 1 and p.is_found_by_reached = p.has_reached
    ), p.contacts[1], p.is_erased
  from person as p order by p.ord;
$$;

revoke execute on function outbound.people_apart from public;

-- fill_contacts of one person.
create or replace function outbound.fill_contact(p_company_id uuid, p_contact_id uuid, p_source text, p_person jsonb)
returns boolean
language sql security invoker set search_path = ''
as $$
  select f.changed
  from outbound.fill_contacts(p_company_id, jsonb_build_array(p_person), p_source, array[p_contact_id]) as f
$$;

revoke execute on function outbound.fill_contact from public;

reset check_function_bodies;
