import assert from "node:assert/strict";
import { withTestDatabase } from "../setup/database.ts";

Deno.test("every table in schema outbound has row level security", () =>
  withTestDatabase(async ({ sql }) => {
    const open = await sql`
      select relname from pg_class
      where relnamespace = 'outbound'::regnamespace and relkind in ('r', 'p') and not relrowsecurity`;

    assert.deepEqual([...open], []);
  }));

Deno.test("nothing in schema outbound is granted to PUBLIC, anon or authenticated", () =>
  withTestDatabase(async ({ sql }) => {
    const grants = await sql`
      with objects (kind, name, acl) as (
        select 'schema', nspname::text, coalesce(nspacl, acldefault('n', nspowner))
        from pg_namespace where nspname = 'outbound'
        union all
        select 'relation', relname::text, relacl from pg_class where relnamespace = 'outbound'::regnamespace
        union all
        select 'function', oid::regprocedure::text, coalesce(proacl, acldefault('f', proowner))
        from pg_proc where pronamespace = 'outbound'::regnamespace
      )
      select kind, name, privilege_type, coalesce(rolname, 'PUBLIC') as grantee
      from objects, aclexplode(acl) left join pg_roles on pg_roles.oid = grantee
      where grantee = 0 or rolname in ('anon', 'authenticated')
      order by kind, name`;

    assert.deepEqual([...grants], []);
  }));

Deno.test("every function in schema outbound has an empty search_path, or is bound where it is made", () =>
  withTestDatabase(async ({ sql }) => {
    const functions = await sql`
      select oid::regprocedure::text as name from pg_proc
      where pronamespace = 'outbound'::regnamespace
        and prosqlbody is null and not coalesce(proconfig @> array['search_path=""'], false)`;

    assert.deepEqual([...functions], []);
  }));
