-- Reports up to p_limit conversations with a reply that the visitor has not read in time, the oldest first. A step of
-- tick: those that are locked wait for the next one.
create function outbound.follow_up_conversations(p_limit int)
returns void
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_conversation outbound.conversations;
begin
  for v_conversation in
    select c.* from outbound.conversations as c
    where c.follow_up_at <= now()
    order by c.follow_up_at limit least(p_limit, 500) for no key update skip locked
  loop
    update outbound.conversations as c set follow_up_at = null
    where c.company_id = v_conversation.company_id and c.id = v_conversation.id;
    perform outbound.report_follow_up(v_conversation);
  end loop;
end
$$;
revoke execute on function outbound.follow_up_conversations from public;

-- Writes conversation.follow_up with the e-mail address of the visitor and the last 30 messages, each cut at 1,000
-- characters, if there are an address and a reply that is not read. A signed address comes before a typed one.
create function outbound.report_follow_up(p_conversation outbound.conversations)
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  v_signed constant text := (
    select a.address from outbound.contact_addresses as a
    where a.company_id = p_conversation.company_id and a.contact_id = p_conversation.contact_id and a.kind = 'email'
    order by a.created_at desc, a.address limit 1
  );
  v_messages jsonb;
begin
  if coalesce(v_signed, p_conversation.visitor_email) is null then
    return;
  end if;
  select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
    'sequence', m.sequence, 'author', m.author, 'sender', m.content #>> '{sender,name}', 'text', left(m.text, 1000),
    'is_read', m.author <> 'operator' or m.sequence <= p_conversation.visitor_read,
    'created_at', outbound.iso_time(m.created_at))) order by m.sequence), '[]')
  into v_messages
  from outbound.conversation_messages as m
  where m.company_id = p_conversation.company_id and m.conversation_id = p_conversation.id
    and m.sequence > p_conversation.last_sequence - 30;
  if not v_messages @> '[{"is_read": false}]' then
    return;
  end if;
  perform outbound.write_event(p_conversation.company_id, 'conversation.follow_up', now(), json_build_object(
    'company_id', p_conversation.company_id, 'conversation_id', p_conversation.id,
    'widget_id', p_conversation.widget_id, 'user_id', p_conversation.user_id,
    'email', coalesce(v_signed, p_conversation.visitor_email), 'is_signed', v_signed is not null,
    'language', p_conversation.language, 'page_url', p_conversation.page_url,
    'page_title', p_conversation.page_title, 'messages', v_messages,
    'has_more', p_conversation.last_sequence > 30));
end
$$;
revoke execute on function outbound.report_follow_up from public;
