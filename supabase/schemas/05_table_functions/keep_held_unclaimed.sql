-- Lets a held notification be cancelled, expire or be settled by an event, but never be claimed. A claim that chose
-- the row just before it was held changes nothing.
create function outbound.keep_held_unclaimed()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if new.status = 'sending' then
    return null;
  end if;
  if new.status not in ('scheduled', 'queued') then
    new.run_at := old.held_run_at;
    new.held_run_at := null;
  end if;
  return new;
end
$$;
revoke execute on function outbound.keep_held_unclaimed from public;
