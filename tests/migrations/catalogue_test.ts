import assert from "node:assert/strict";
import { readSchema } from "../../cli/schema/read_schema.ts";
import { MAX_ATTEMPTS } from "../../supabase/functions/_shared/dispatching/retry_delay.ts";
import { withTestDatabase } from "../setup/database/database.ts";
import { insertCompany } from "../setup/fixtures/fixtures.ts";
import { calledFunctions } from "./called_functions.ts";

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

Deno.test("every function in schema outbound has an empty search_path", () =>
  withTestDatabase(async ({ sql }) => {
    const functions = await sql`
      select oid::regprocedure::text as name from pg_proc
      where pronamespace = 'outbound'::regnamespace and not coalesce(proconfig @> array['search_path=""'], false)`;

    assert.deepEqual([...functions], []);
  }));

/** How a function may steer the planner, by what its header calls it; supabase/schemas/README.md has the reasons. */
const COMMON = [
  "enable_bitmapscan=off",
  "enable_seqscan=off",
  "jit=off",
  "plan_cache_mode=force_generic_plan",
];
const BATCH = [...COMMON, "enable_hashjoin=off", "enable_mergejoin=off"];
const WAYS = {
  common: COMMON,
  "A batch": BATCH,
  "A batch within a query": [...BATCH, "enable_nestloop=on"],
  "A page": [...COMMON, "enable_sort=off", "enable_incremental_sort=off"],
};

Deno.test("a function steers the planner in one of four ways, and gives its reason unless it is the common one", () =>
  withTestDatabase(async ({ sql }) => {
    const functions = await sql<{ name: string; switches: string[] }[]>`
      select p.proname as name, array_agg(setting) as switches
      from pg_proc as p cross join unnest(p.proconfig) as setting
      where p.pronamespace = 'outbound'::regnamespace and setting !~ '^(search_path|lock_timeout)='
      group by p.oid, p.proname order by p.proname`;
    const schema = (await readSchema()).map(({ text }) => text).join("\n");

    const others = functions.filter(({ name, switches }) => wayOf(schema, name) !== wayWith(switches));

    assert.ok(functions.some(({ switches }) => wayWith(switches) === "common"));
    assert.deepEqual(others, []);
  }));

/** Returns the way that has exactly these switches. */
function wayWith(switches: string[]): string | undefined {
  return Object.entries(WAYS).find(([, those]) => those.toSorted().join() === switches.toSorted().join())
    ?.[0];
}

/** Returns the way that the comment above a function's switches names. */
function wayOf(schema: string, name: string): string {
  const [header] = new RegExp(`create function outbound\\.${name}\\([^$]*\\nas \\$`).exec(schema)!;
  return /-- (A batch|A batch within a query|A page)(?: \(\w+\))?: .*\n(?:--.*\n)*set /.exec(header)?.[1] ??
    "common";
}

Deno.test("every function that the code calls exists", () =>
  withTestDatabase(async ({ sql }) => {
    const existing = await sql<{ name: string }[]>`
      select proname as name from pg_proc where pronamespace = 'outbound'::regnamespace`;
    const called = await calledFunctions();

    assert.ok(called.includes("claim_notifications"));
    assert.deepEqual(called.filter((name) => !existing.some((row) => row.name === name)), []);
  }));

Deno.test("vacuum of the tables that change all day begins after a number of dead rows, however large they are", () =>
  withTestDatabase(async ({ sql }) => {
    const busy = await sql`
      select relname from pg_class
      where relnamespace = 'outbound'::regnamespace and reloptions @> array['autovacuum_vacuum_scale_factor=0']
      order by relname`;

    assert.deepEqual(busy.map(({ relname }) => relname), [
      ...[
        "campaigns",
        "delivery_attempts",
        "history",
        "history_changes",
        "idempotency_keys",
        "key_requests",
        "notification_facts",
        "outgoing_events",
        "platform_events",
        "queue",
        "sender_rate_state",
        "sender_schedule",
        "usage",
      ],
      "webhook_deliveries",
      "webhook_schedule",
    ]);
  }));

Deno.test("a document's language is a text search configuration, and a search goes by the index", () =>
  withTestDatabase(async ({ sql }) => {
    const { id } = await insertCompany(sql);
    const add = (content: string, language: string) =>
      sql`insert into outbound.knowledge_documents (company_id, title, content, language)
        values (${id}, 'Returns', ${content}, ${language})`;

    await add("You may return shoes", "english");
    await assert.rejects(add("You may return shoes", "klingon"), { code: "42704" });

    const found =
      await sql`select title from outbound.search_knowledge(${id}, 'returning a shoe', 'english', 5)`;
    assert.deepEqual([...found], [{ title: "Returns" }]);
    const plan = await sql.begin(async (one) => {
      await one`set local enable_seqscan = off`;
      return await one`explain select from outbound.knowledge_documents where search @@ plainto_tsquery('shoe')`;
    });
    assert.match(JSON.stringify(plan), /knowledge_documents_search_idx/);
  }));

Deno.test("the database tries a notification as often as the dispatcher does", () =>
  withTestDatabase(async ({ sql }) => {
    assert.deepEqual([...await sql`select outbound.max_attempts() as attempts`], [{
      attempts: MAX_ATTEMPTS,
    }]);
  }));
