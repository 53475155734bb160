-- Deletes voice sessions that are over, and conversations without a message. A step of clean_up.
create function outbound.clean_up_conversations(p_limit int)
returns jsonb
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_voice_sessions int;
  v_empty_conversations int;
begin
  -- A session's token lasts an hour, and its length is known, or will never be, soon after.
  delete from outbound.voice_sessions as s where s.ctid = any (array(
    select o.ctid from outbound.voice_sessions as o where o.created_at < now() - interval '2 days'
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_voice_sessions = row_count;

  -- Opened by a visitor who wrote nothing.
  delete from outbound.conversations as c where c.ctid = any (array(
    select o.ctid from outbound.conversations as o
    where o.last_sequence = 0 and o.created_at < now() - interval '1 day'
    order by o.created_at limit p_limit for update skip locked));
  get diagnostics v_empty_conversations = row_count;

  return jsonb_build_object('voice_sessions', v_voice_sessions, 'empty_conversations', v_empty_conversations);
end
$$;
revoke execute on function outbound.clean_up_conversations from public;
