import assert from "node:assert/strict";
import {
  CHANNEL_PERMISSIONS,
  KEY_PERMISSIONS,
  type KeyPermission,
} from "../../../supabase/functions/_shared/access/permissions.ts";
import { mayActAs, type Role, ROLES } from "../../../supabase/functions/_shared/access/roles.ts";
import { type Effect, EFFECTS } from "../../../supabase/functions/_shared/access/effects.ts";
import { effectOf } from "../../../supabase/functions/_shared/http/app/api_route.ts";
import type { CompanyAccess } from "../../../supabase/functions/_shared/http/guards/company_caller.ts";
import { ROUTE_ACCESS } from "../../../supabase/functions/manage/route_access.ts";
import { eventually } from "../../setup/eventually.ts";
import { insertCompany, insertKey, insertMember, moveRateWindow } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject, TestAnswer } from "../../setup/http/http.ts";
import { readDocument, withServices } from "../../setup/stack/services.ts";
import { type Manage, withManage } from "../with_manage.ts";

interface Operation {
  /** Its entry in the table: `GET /campaigns`. */
  name: string;
  method: string;
  path: string;
  role: Role;
  permission: KeyPermission | "channel" | null;
  security: JsonObject[];
  checksSender: boolean;
  effect: Effect;
  ownerFields: string[];
  body: unknown;
  statuses: string[];
}

/** Of every route below a company. */
const STATUSES = ["200", "400", "401", "403", "404", "429", "500", "502", "503"];

const ROOT = "/manage/companies/{company_id}";

/** Every documented operation below a company. */
function operationsOf(document: JsonObject): Operation[] {
  return Object.entries(document.paths as Record<string, Record<string, JsonObject>>)
    .filter(([path]) => path.startsWith(`${ROOT}/`))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path.slice(ROOT.length)}`,
        method: method.toUpperCase(),
        path: path.replace("/manage", ""),
        role: operation["x-role"],
        permission: operation["x-permission"],
        security: operation.security,
        checksSender: operation["x-checks-sender"] ?? false,
        effect: operation["x-effect"],
        ownerFields: operation["x-owner-fields"] ?? [],
        body: operation.requestBody?.content["application/json"]?.example,
        statuses: Object.keys(operation.responses),
      }))
    );
}

/** The path of an operation below a company, with ids that nothing has. */
function pathOf({ path }: Operation, companyId: string): string {
  return path.replace("{company_id}", companyId).replaceAll(/\{\w+\}/g, () => crypto.randomUUID());
}

/** Makes members of those who just left. */
async function rejoin({ sql, company, members }: Manage): Promise<void> {
  for (const role of ROLES) {
    await sql`
      insert into outbound.memberships (company_id, user_id, role) values (${company.id}, ${
      members[role].userId
    }, ${role})
      on conflict do nothing`;
  }
}

/** The least role that may send the documented example. */
function leastRole({ role, ownerFields, body }: Operation): Role {
  return ownerFields.some((field) => Object.hasOwn(body as JsonObject, field)) ? "owner" : role;
}

Deno.test("every route below a company refuses strangers, other companies and smaller roles, and no other", async (test) => {
  await withManage(async (t) => {
    const operations = operationsOf(await readDocument(t.app) as JsonObject);
    assert.ok(operations.length > 0);
    const other = await insertCompany(t.sql, { name: "Bolt" });
    for (const operation of operations) {
      await test.step(`${operation.method} ${operation.path}`, async () => {
        const { method, body, statuses } = operation;
        const missing = STATUSES.filter((status) => !statuses.includes(status));
        assert.deepEqual(missing, [], "documented");
        assert.ok(ROLES.includes(operation.role), "has a role");
        assert.ok(EFFECTS.includes(operation.effect), "has an effect");
        const own = pathOf(operation, t.company.id);
        const anonymous = await t.http.request(method, `/manage${own}`, body);
        assert.equal(anonymous.status, 401);
        for (const stranger of [t.stranger, t.invited]) {
          const { status, body: refusal } = await stranger.ask(method, own, body);
          const who = stranger === t.invited ? "an invited user who has not accepted" : "a stranger";
          assert.deepEqual([status, refusal.message], [404, "Company not found"], who);
        }
        for (const role of ROLES) {
          const elsewhere = await t.members[role].ask(method, pathOf(operation, other.id), body);
          assert.deepEqual([elsewhere.status, elsewhere.body.message], [404, "Company not found"], role);
          const { status } = await t.members[role].ask(method, own, body);
          if (mayActAs(role, leastRole(operation))) {
            assert.ok(status !== 401 && status !== 403, `${role}: ${status}`);
          } else assert.equal(status, 403, role);
        }
        if (operation.path.endsWith("/leave")) await rejoin(t);
      });
    }
  });
});

Deno.test("route_access.ts names every route below a company, no other, and the document says what it does", () =>
  withServices(async ({ app }) => {
    const operations = operationsOf(await readDocument(app) as JsonObject);
    const documented = operations.map(({ name, role, permission, checksSender }) => [name, {
      role,
      permission,
      ...(checksSender && { checksSender }),
    }]);

    const named = Object.entries<CompanyAccess & { inTest?: true }>(ROUTE_ACCESS).map((
      [name, { inTest: _, ...access }],
    ) => [name, access]);
    assert.deepEqual(Object.fromEntries(documented), Object.fromEntries(named));
    for (const { name, permission, security } of operations) {
      const schemes = security.flatMap(Object.keys);
      const keys = permission === null ? [] : ["accessKey", "accessKeyInQuery"];
      assert.deepEqual(schemes, ["userToken", ...keys], name);
    }
  }));

Deno.test("no key opens what shows, makes or widens a credential, and of owners' routes only recipients' rights", () => {
  const entries = Object.entries<CompanyAccess>(ROUTE_ACCESS);
  const closed = entries.filter(([name]) => /^\w+ \/(keys|members|leave|audit|events)\b/.test(name));
  assert.ok(closed.length > 10);
  for (const [name, { permission }] of closed) assert.equal(permission, null, name);

  const owners = entries.filter(([, { role, permission }]) => role === "owner" && permission !== null);
  assert.deepEqual(owners.map(([name]) => name), [
    "DELETE /contacts/suppressions",
    "POST /contacts/consents",
    "POST /contacts/consents/import",
    "POST /contacts/erase",
  ]);
});

/** The permissions with which a key may call an operation: any one of them is enough. */
function permissionsFor({ permission }: Operation): KeyPermission[] {
  if (permission === null) return [];
  return permission === "channel" ? Object.values(CHANNEL_PERMISSIONS) : [permission];
}

Deno.test("every route below a company opens to a key with its permission, as the company's own, and to no other key", async (test) => {
  await withManage(async (t) => {
    const operations = operationsOf(await readDocument(t.app) as JsonObject);
    const unlimited = { rate_limit: 100_000 };
    const own = await insertKey(t.sql, t.company.id, unlimited);
    const other = await insertKey(t.sql, (await insertCompany(t.sql, { name: "Bolt" })).id, {
      ...unlimited,
      permissions: [...KEY_PERMISSIONS],
    });
    const allow = (permissions: readonly string[]) =>
      t.sql`update outbound.api_keys set permissions = ${[...permissions]} where id = ${own.id}`;
    for (const operation of operations) {
      await test.step(operation.name, async () => {
        const { method, body } = operation;
        const ask = (key: string, companyId: string) =>
          t.http.request(method, `/manage${pathOf(operation, companyId)}`, withoutOwnerFields(operation), {
            headers: { authorization: `Bearer ${key}`, ...(method === "PUT" && { "if-match": "*" }) },
          });
        const refusalOf = ({ status, body }: TestAnswer<JsonObject>) => [status, body.error, body.details];
        const needed = permissionsFor(operation);

        const elsewhere = await ask(other.key, t.company.id);
        if (needed.length === 0) {
          await allow(KEY_PERMISSIONS);
          for (const refused of [elsewhere, await ask(own.key, "mine"), await ask(own.key, t.company.id)]) {
            assert.deepEqual(refusalOf(refused), [403, "forbidden", undefined]);
          }
          return;
        }
        assert.deepEqual([elsewhere.status, elsewhere.body.message], [404, "Company not found"]);

        await allow(KEY_PERMISSIONS.filter((each) => !needed.includes(each)));
        const refused = await ask(own.key, "mine");
        assert.deepEqual(refusalOf(refused), [403, "forbidden", { permission: needed[0] }]);
        assert.equal(refused.body.message, `This access key lacks the permission '${needed[0]}'`);

        for (const permission of needed) {
          await allow([permission]);
          for (const companyId of ["mine", t.company.id]) {
            const { status, body: answer } = await ask(own.key, companyId);
            // The example of an upload or a draft is a message; a key for calls only may not prepare it.
            const isOtherChannel = ["POST /uploads", "POST /campaigns/drafts"].includes(operation.name) &&
              permission === "voice_notifications";
            assert.equal(
              status === 401 || status === 403,
              isOtherChannel,
              `${status} ${JSON.stringify(answer)}`,
            );
          }
        }
        const member = await t.members.owner.ask(method, pathOf(operation, "mine"), body);
        assert.deepEqual([member.status, member.body.message], [404, "Company not found"]);
      });
    }
  });
});

/** The documented example without what only owners may set. */
function withoutOwnerFields({ body, ownerFields }: Operation): unknown {
  if (ownerFields.length === 0) return body;
  return Object.fromEntries(
    Object.entries(body as JsonObject).filter(([name]) => !ownerFields.includes(name)),
  );
}

Deno.test("a key may not set a field that is the owners'", () =>
  withManage(async (t) => {
    const { key } = await insertKey(t.sql, t.company.id, { permissions: ["settings"] });
    const headers = { authorization: `Bearer ${key}`, "if-match": "*" };
    const { status, body } = await t.http.request(
      "PUT",
      "/manage/companies/mine/settings/contact_rules",
      { keep_messages_days: 30 },
      { headers },
    );
    assert.deepEqual([status, body.details], [403, { field: "keep_messages_days", required: "owner" }]);
  }));

Deno.test("requests of a key to /manage count against its rate, a bad one too, and it is then refused from memory", () =>
  withManage(async (t) => {
    const { key, ...ids } = await insertKey(t.sql, t.company.id, { rate_limit: 2 });
    await moveRateWindow(t.sql, ids);
    const read = (query: Record<string, string>) =>
      t.http.get("/manage/companies/mine/contacts/suppressions", { query: { access_key: key, ...query } });

    const first = await read({});
    const bad = await read({ limit: "many" });
    const over = await read({});
    await t.sql`update outbound.api_keys set rate_limit = 100`;
    const remembered = await read({});

    assert.match(first.headers.get("ratelimit")!, /r=1;/);
    assert.deepEqual([first, bad, over, remembered].map(({ status }) => status), [200, 400, 429, 429]);
    assert.equal(over.headers.get("retry-after"), String(over.body.retry_after));
  }));

Deno.test("a field that is the owners' is refused to an operator, who may change the others", () =>
  withManage(async (t) => {
    const operations = operationsOf(await readDocument(t.app) as JsonObject);
    const fields = operations.flatMap(({ ownerFields, ...operation }) =>
      ownerFields.map((field) => ({ ...operation, field }))
    );
    assert.ok(fields.length > 0);
    for (const { method, path, field, body, ...operation } of fields) {
      const ask = (sent: JsonObject) =>
        t.members.operator.ask(
          method,
          pathOf({ ...operation, method, path, body, ownerFields: [] }, t.company.id),
          sent,
        );
      const refused = await ask({ [field]: field === "record_bodies" ? true : 30 });
      assert.deepEqual([refused.status, refused.body.details], [403, {
        field,
        role: "operator",
        required: "owner",
      }], field);
      const others = Object.entries(body as JsonObject).filter(([name]) =>
        !fields.some((each) => each.field === name)
      );
      assert.equal((await ask(Object.fromEntries(others))).status, 200);
    }
  }));

/** With the API access off: the refusal of what begins something new, and anything else for the rest. */
function assertOff(effect: Effect, { status, body }: TestAnswer<JsonObject>, label: string): void {
  const isRefused = status === 403 && body?.message === "API access is switched off for this company";
  assert.equal(isRefused, effect === "acts", `${label}: ${status} ${JSON.stringify(body)}`);
}

Deno.test("with API access off, every route below a company reads and stops, and begins nothing", () =>
  withManage(async (t) => {
    const operations = operationsOf(await readDocument(t.app) as JsonObject);
    await t.sql`update outbound.companies set api_access = false where id = ${t.company.id}`;
    for (const operation of operations) {
      const { method, path, body, effect } = operation;
      const answer = await t.members.owner.ask(method, pathOf(operation, t.company.id), body);
      assertOff(effect, answer, `${method} ${path}`);
    }
    const removed = await t.members.owner.ask(
      "DELETE",
      `/companies/${t.company.id}/members/${t.members.viewer.userId}`,
    );
    assert.equal(removed.status, 200);
  }));

Deno.test("with API access off, every route of a key reads and stops, and begins nothing", () =>
  withManage(async (t) => {
    const limits = { permissions: [...KEY_PERMISSIONS], rate_limit: 100_000 };
    const { key } = await insertKey(t.sql, t.company.id, limits);
    const { paths } = await readDocument(t.app) as JsonObject;
    await t.sql`update outbound.companies set api_access = false where id = ${t.company.id}`;
    const seen = { reads: 0, stops: 0, acts: 0 };
    for (const [path, methods] of Object.entries<Record<string, JsonObject>>(paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (!takesKey(operation)) continue;
        const effect = effectOf({ method: method as "get", "x-effect": operation["x-effect"] });
        const query = exampleQuery(operation);
        const headers = { authorization: `Bearer ${key}`, "if-match": "*" };
        const body = operation.requestBody?.content["application/json"]?.example;
        const sent = path.startsWith("/admin/") ? { ...body, company_id: t.company.id } : body;
        const target = path.replace("{company_id}", "mine").replaceAll(/\{\w+\}/g, () => crypto.randomUUID());
        const answer = await t.http.request(method.toUpperCase(), target, sent, { headers, query });
        assertOff(effect, answer, `${method} ${path}`);
        seen[effect]++;
      }
    }
    assert.ok(seen.reads > 0 && seen.stops > 0 && seen.acts > 0, JSON.stringify(seen));
  }));

/** Whether an operation acts for a company with its key; not those of widgets, which are closed or a visitor's. */
function takesKey({ tags, security }: JsonObject): boolean {
  return !/widget/i.test(tags[0]) && (security as JsonObject[]).some((each) => "accessKey" in each) &&
    tags[0] !== "Agents";
}

/** The required parameters of an operation, by its examples. */
function exampleQuery({ parameters = [] }: JsonObject): Record<string, string> {
  const required = (parameters as JsonObject[]).filter((each) => each.in === "query" && each.required);
  return Object.fromEntries(required.map(({ name, example }) => [name, String(example)]));
}

Deno.test("GET /manage/companies lists one's own companies, with one's role in each", () =>
  withManage(async (t) => {
    const { viewer } = t.members;
    const bolt = await insertCompany(t.sql, { name: "Bolt" });
    await insertMember(t.sql, bolt.id, viewer.userId, "owner");

    const { body } = await viewer.ask("GET", "/companies");

    assert.deepEqual(body.companies, [
      { company_id: t.company.id, name: "Acme", role: "viewer", test: false },
      { company_id: bolt.id, name: "Bolt", role: "owner", test: false },
    ]);
    for (const stranger of [t.stranger, t.invited]) {
      assert.deepEqual((await stranger.ask("GET", "/companies")).body.companies, []);
    }
  }));

Deno.test("owners and operators get the company's key, viewers are refused it", () =>
  withManage(async (t) => {
    const { key } = await insertKey(t.sql, t.company.id);
    for (const role of ROLES) {
      const headers = { authorization: `Bearer ${t.members[role].token}` };
      const { status, body } = await t.http.post("/api_keys", undefined, { headers });
      if (role === "viewer") {
        assert.deepEqual([status, body], [403, {
          success: false,
          message: "Your role does not show the key of: Acme",
          deniedCompanies: [{ company_id: t.company.id, company_name: "Acme", access: false }],
        }]);
      } else assert.deepEqual(body.validApiKeys.map((entry: JsonObject) => entry.key), [key], role);
    }
    // A member who may see some keys gets those.
    const other = await insertCompany(t.sql, { name: "Bolt" });
    const { key: shown } = await insertKey(t.sql, other.id);
    await insertMember(t.sql, other.id, t.members.viewer.userId, "operator");
    const headers = { authorization: `Bearer ${t.members.viewer.token}` };
    const { body } = await t.http.post("/api_keys", undefined, { headers });
    assert.deepEqual(body.validApiKeys.map((entry: JsonObject) => entry.key), [shown]);
  }));

Deno.test("POST /api_keys responds with 500 where no key can be opened", () =>
  withManage(async (t) => {
    await insertKey(t.sql, t.company.id);
    await t.sql`update outbound.api_keys set key_sealed = 'unknown.' || split_part(key_sealed, '.', 2)`;
    const headers = { authorization: `Bearer ${t.members.owner.token}` };

    const { status, body } = await t.http.post("/api_keys", undefined, { headers });

    assert.deepEqual([status, body.error], [500, "internal_error"]);
    assert.match(body.message, /^No key can be read, of: Acme;/);
  }));

Deno.test("a member who was removed is refused within a second", () =>
  withManage(async (t) => {
    assert.equal((await t.read("/audit")).status, 200);
    await t.sql`delete from outbound.company_members where user_id = ${t.members.viewer.userId}`;
    await eventually(async () => assert.equal((await t.read("/audit")).status, 404), 1500);
  }));
