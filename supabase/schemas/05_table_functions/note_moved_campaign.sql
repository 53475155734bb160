-- Notes that a campaign changes. Called at most once per minute for each campaign, whatever its counters do.
create function outbound.note_moved_campaign()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  new.moved_at := now();
  return new;
end
$$;
revoke execute on function outbound.note_moved_campaign from public;
