-- Stores the visitor's rating of a conversation, 1 to 5, in place of an earlier one, and reports it. Returns rated,
-- unchanged, off where the widget asks for none, empty before the first message, late a day after its end, or null when
-- there is no such conversation.
create function outbound.rate_conversation(
  p_company_id uuid, p_conversation_id uuid, p_rating int, p_comment text
)
returns text
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_conversation outbound.conversations;
begin
  select * into v_conversation from outbound.conversations as c
  where c.company_id = p_company_id and c.id = p_conversation_id for no key update;
  if not found then
    return null;
  elsif exists (
    select from outbound.widgets as w
    where w.company_id = p_company_id and w.id = v_conversation.widget_id and w.config #> '{features,rating}' = 'false'
  ) then
    return 'off';
  elsif v_conversation.last_sequence = 0 then
    return 'empty';
  elsif v_conversation.closed_at < now() - interval '1 day' then
    return 'late';
  elsif (v_conversation.rating, v_conversation.rating_comment) is not distinct from (p_rating, p_comment) then
    return 'unchanged';
  end if;
  update outbound.conversations as c set rating = p_rating, rating_comment = p_comment, rated_at = now()
  where c.company_id = p_company_id and c.id = p_conversation_id;
  perform outbound.write_event(p_company_id, 'conversation.rated', now(), json_build_object(
    'company_id', p_company_id, 'conversation_id', p_conversation_id, 'widget_id', v_conversation.widget_id,
    'user_id', v_conversation.user_id, 'assigned_to', v_conversation.assigned_to, 'rating', p_rating,
    'comment', p_comment, 'previous_rating', v_conversation.rating, 'rated_at', outbound.iso_time(now())));
  return 'rated';
end
$$;
revoke execute on function outbound.rate_conversation from public;
