-- Erases what is known about a person, under all the given addresses, and keeps the person suppressed by hashes of
-- them. Of a notification, only what happened and when stays; one that still waits is skipped (erased), one of unknown
-- outcome fails. Archive files are written without the person soon after (archive_erasures). The platform's message ids
-- go too, because a WhatsApp id contains the recipient's number.
-- p_contact_id: the person's contact, in place of a number and a user id; null: these.
-- p_addresses: what addresses_of_person returned a moment ago; p_hashes: theirs.
-- p_events: the ids of outgoing events that name the person, written before p_since; later ones are searched here.
-- Returns outcome: erased (with counts); changed (the person has other addresses, notifications or messages by now: read
-- them again); on_its_way (a message is being sent, or a call is going on: retry after retry_after_s); unknown (the company
-- has no such contact). Only `erased` changes anything.
create function outbound.erase_person(
  p_company_id uuid, p_number text, p_user_id text, p_contact_id uuid, p_addresses text[], p_hashes text[],
  p_events text[], p_since timestamptz, p_actor text, p_request_id text, out outcome text, out retry_after_s int,
  out counts jsonb
)
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_ids uuid[];
  v_messages uuid[];
  v_threads uuid[];
  v_contacts uuid[];
begin
  -- A restore that puts rows of the person back is over before this begins, or blanks them after it (archive_erasures).
  perform from outbound.archive_files as f
  where f.company_id = p_company_id order by f.id for no key update;
  -- Accepting locks its key first: a notification that is accepted meanwhile is either seen here, or sees the hashes.
  perform from outbound.api_keys as k
  where k.company_id = p_company_id and k.is_active order by k.key_hash for no key update;
  if outbound.addresses_of_person(p_company_id, p_number, p_user_id, p_contact_id) <> p_addresses then
    outcome := 'changed';
    return;
  end if;
  select l.ids, l.retry_after_s into v_ids, retry_after_s
  from outbound.lock_notifications_to(p_company_id, p_addresses) as l;
  if v_ids is null then
    outcome := 'changed';
    return;
  end if;
  -- Out of the lock order, so only those that can be locked at once: one that is locked is being sent, or just was.
  v_messages := array(
    select m.id from outbound.contact_messages as m
    where m.company_id = p_company_id and (m.number = any (p_addresses) or m.user_id = any (p_addresses))
      and m.status <> 'sending'
    order by m.id for update skip locked
  );
  if exists (
    select from outbound.contact_messages as m
    where m.company_id = p_company_id and (m.number = any (p_addresses) or m.user_id = any (p_addresses))
      and m.id <> all (v_messages)
  ) then
    retry_after_s := greatest(retry_after_s, 5);
  end if;
  if retry_after_s is not null then
    outcome := 'on_its_way';
    return;
  end if;

  -- A message of the person that is being stored becomes the last of its thread, which ends with its last message
  -- only: it would keep what members wrote about the person. So it is waited for, and read with the rest.
  v_threads := array(
    select t.id from unnest(v_messages) as gone(id)
    cross join lateral (
      select o.id from outbound.contact_threads as o
      where o.last_message_id = gone.id and case when o.company_id = p_company_id then true end
    ) as t
  );
  perform from outbound.contact_threads as t
  where t.company_id = p_company_id and t.id = any (v_threads) order by t.id for update;
  if exists (
    select from outbound.contact_threads as t
    where t.company_id = p_company_id and t.id = any (v_threads) and t.last_message_id <> all (v_messages)
  ) then
    outcome := 'changed';
    return;
  end if;

  v_contacts := outbound.contacts_of_addresses(p_company_id, p_addresses) || p_contact_id;
  counts := outbound.erase_notifications(p_company_id, v_ids)
    || jsonb_build_object('events', outbound.delete_events_about(
      p_company_id, p_addresses || outbound.chats_of_contacts(p_company_id, v_contacts)
        || outbound.handoffs_of_person(p_company_id, p_addresses, v_contacts)::text[], p_events, p_since))
    || outbound.delete_contact_data(p_company_id, p_addresses, v_messages)
    || jsonb_build_object('contacts', outbound.delete_people(p_company_id, p_addresses, p_contact_id),
      'archive_files', outbound.erase_from_archive(p_company_id, p_addresses));
  -- Without an address, there was nothing but the contact.
  if p_addresses = '{}' and counts ->> 'contacts' = '0' then
    outcome := 'unknown';
    return;
  end if;
  outcome := 'erased';
  perform outbound.delete_request_bodies(p_company_id);
  insert into outbound.erased_contacts (company_id, address_hash)
  select p_company_id, hash from unnest(p_hashes) as hash order by hash
  on conflict on constraint erased_contacts_pkey do update set erased_at = now();
  perform outbound.write_audit(p_company_id, p_actor, 'contact.erased', null, null, counts, p_request_id);
end
$$;
revoke execute on function outbound.erase_person from public;
