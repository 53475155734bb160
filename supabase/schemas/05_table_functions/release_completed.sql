-- Keeps the rule that nothing holds a campaign that is over.
create function outbound.release_completed()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  new.held_reason := null;
  return new;
end
$$;
revoke execute on function outbound.release_completed from public;
