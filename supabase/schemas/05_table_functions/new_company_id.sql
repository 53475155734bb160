-- Returns an id for a new company. Its keys and whatever names it lead to this database by it: where the cell is not 0, it
-- is a UUIDv8 (RFC 9562) that has the cell's number in the 12 bits after the version.
create function outbound.new_company_id()
returns uuid
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  v_cell int := coalesce((select c.number from outbound.cell as c), 0);
begin
  if v_cell = 0 then
    return gen_random_uuid();
  end if;
  return overlay(gen_random_uuid()::text placing '8' || lpad(to_hex(v_cell), 3, '0') from 15 for 4)::uuid;
end
$$;
revoke execute on function outbound.new_company_id from public;
