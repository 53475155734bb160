set local lock_timeout = '2s';
set check_function_bodies = off;

-- Deletes the files that visitors sent in chats that were deleted.
create or replace function outbound.delete_files_of_chats()
returns trigger
language plpgsql security invoker set search_path = ''
-- A batch: one look-up per conversation.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  delete from outbound.media_files as f
  using old_rows as c
  where f.company_id = c.company_id and f.conversation_id = c.id;
  return null;
end
$$;

revoke execute on function outbound.delete_files_of_chats from public;

-- Plans when a key's company is notified that the key ends soon: a week before, then a day before. A key that ends sooner gets
-- the warnings that are left; one that is revoked gets none.
create or replace function outbound.plan_key_warning()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  if tg_op = 'INSERT' or new.expires_at is distinct from old.expires_at or new.is_active <> old.is_active then
    new.warn_at := outbound.next_key_warning(case when new.is_active then new.expires_at end);
  end if;
  return new;
end
$$;

revoke execute on function outbound.plan_key_warning from public;

-- Returns when to warn next of a key that ends at p_ends; null where both times are over, or it has no end.
create or replace function outbound.next_key_warning(p_ends timestamptz)
returns timestamptz
language sql stable security invoker set search_path = ''
return case
  when p_ends > now() + interval '7 days' then p_ends - interval '7 days'
  when p_ends > now() + interval '1 day' then p_ends - interval '1 day'
end;

revoke execute on function outbound.next_key_warning from public;

-- Has the objects of deleted files deleted from the media store too (take_media_leftovers).
create or replace function outbound.release_media_objects()
returns trigger
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.media_leftovers (company_id, media_id, bytes, due_at, of_visitor)
  select f.company_id, f.id, f.bytes, now(), f.conversation_id is not null from old_rows as f
  on conflict on constraint media_leftovers_pkey do update set due_at = excluded.due_at;
  return null;
end
$$;

revoke execute on function outbound.release_media_objects from public;

alter table outbound.api_keys add column warn_at timestamp with time zone;

create index api_keys_warn_idx on outbound.api_keys (warn_at) where warn_at is not null;

create or replace trigger api_keys_plan_warning before insert or update of expires_at, is_active on outbound.api_keys
  for each row execute function outbound.plan_key_warning();

-- The companies that want the bodies of their keys' requests kept.
create table outbound.recorded_bodies (
  company_id uuid not null,
  -- When it was switched on, or when the company last erased a person: no body from before is stored.
  since timestamptz not null default now(),
  constraint recorded_bodies_pkey primary key (company_id),
  constraint recorded_bodies_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade
);

alter table outbound.recorded_bodies enable row level security;

-- The beginnings of the last bodies, without secrets. They may name people, so an erasure deletes all of the company.
create table outbound.key_request_bodies (
  company_id uuid not null,
  -- Of the request.
  id uuid not null,
  -- Null where there was none, or none that is JSON.
  request text,
  response text,
  created_at timestamptz not null,
  constraint key_request_bodies_pkey primary key (company_id, id),
  constraint key_request_bodies_request_fkey foreign key (company_id, id)
    references outbound.key_requests (company_id, id) on delete cascade,
  constraint key_request_bodies_company_fkey foreign key (company_id)
    references outbound.recorded_bodies (company_id) on delete cascade
);

create index key_request_bodies_created_idx on outbound.key_request_bodies (company_id, created_at);

alter table outbound.key_request_bodies enable row level security;

reset check_function_bodies;
