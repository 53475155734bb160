-- Has every archive file of a company written without a person. Returns how many files there are: which of them hold the
-- person is found out then. A step of erase_person.
create function outbound.erase_from_archive(p_company_id uuid, p_addresses text[])
returns int
language plpgsql security invoker set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  v_files int;
begin
  insert into outbound.archive_erasures (company_id, file_id, address)
  select f.company_id, f.id, a.address
  from outbound.archive_files as f cross join unnest(p_addresses) as a(address)
  where f.company_id = p_company_id
  on conflict on constraint archive_erasures_pkey do nothing;
  -- One that is worked on now is found due by its worker.
  update outbound.archive_files as f set due_at = now() where f.company_id = p_company_id and f.due_at is null;
  select count(*) into v_files from outbound.archive_files as f where f.company_id = p_company_id;
  return v_files;
end
$$;
revoke execute on function outbound.erase_from_archive from public;
