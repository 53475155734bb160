-- Lets one transaction at a time change who a company's contacts are and which addresses they have. A
-- transaction that finds a contact by several addresses decides by all of them, and rows that do not exist yet cannot
-- be locked.
create function outbound.lock_people(p_company_id uuid)
returns void
language sql security invoker set search_path = ''
as $$ select pg_advisory_xact_lock(hashtextextended('people ' || p_company_id, 0)) $$;
revoke execute on function outbound.lock_people from public;
