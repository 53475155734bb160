-- Deletes what is no longer needed, at most p_limit rows of each kind, the oldest first. Returns how many by kind, and
-- `more`: whether some kind had that many, so that another call, in a transaction of its own, will find more.
-- Campaigns and notifications are the company's history and stay, except what a company wants apply_retention to
-- erase.
--
-- It never waits for a lock, so it is part of no deadlock: rows that are locked are left for the next call. Each kind
-- has a b-tree on its time, so a call reads about as many rows as it deletes, whatever is stored. (A BRIN index was
-- smaller. But once vacuum has freed pages for new rows, every range of it holds old and new ones, and each call read
-- the whole table.)
create function outbound.clean_up(p_limit int default 10000)
returns jsonb
language plpgsql security invoker set search_path = ''
as $$
declare
  v_deleted jsonb;
begin
  if not outbound.is_active_cell() then
    return jsonb_build_object('more', false);
  end if;
  v_deleted := outbound.clean_up_requests(p_limit) || outbound.clean_up_platform_events(p_limit)
    || outbound.clean_up_outgoing_events(p_limit) || outbound.clean_up_conversations(p_limit)
    || outbound.clean_up_marketing(p_limit) || outbound.clean_up_records(p_limit) || outbound.clean_up_history(p_limit)
    || outbound.apply_retention(p_limit);
  return v_deleted || jsonb_build_object('more', exists (
    select from jsonb_each_text(v_deleted) as kind where kind.value::int >= p_limit
  ));
end
$$;
revoke execute on function outbound.clean_up from public;
