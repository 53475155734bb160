import assert from "node:assert/strict";
import { sha256Hex } from "../../../supabase/functions/_shared/crypto/digests.ts";
import { type Manage, withManage } from "../with_manage.ts";

const OFFICE = "203.0.113.9";

/** Reads the overview from the office; returns the status. */
async function readFromOffice({ http, company }: Manage, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, "x-forwarded-for": OFFICE };
  return (await http.get(`/manage/companies/${company.id}/overview`, { headers })).status;
}

/** As ten seconds later, when the auth server is asked again. */
function forgetChecks({ services }: Manage, token: string): void {
  services.signedInUsers.delete(sha256Hex(token));
}

Deno.test("open consoles of an office work on while a browser there sends forged tokens, which are limited", () =>
  withManage(async (t) => {
    const { token } = t.members.viewer;
    assert.equal(await readFromOffice(t, token), 200);
    const [head, claims] = token.split(".");
    const forged = (index: number) => `${head}.${claims}.${String(index).padStart(86, "A")}`;
    const statuses = new Set<number>();
    for (let index = 0; index < 120; index++) statuses.add(await readFromOffice(t, forged(index)));
    assert.deepEqual([...statuses], [401, 429]);

    forgetChecks(t, token);

    assert.equal(await readFromOffice(t, token), 200);
    assert.equal(await readFromOffice(t, forged(200)), 429);
  }));

Deno.test("requests of one token that arrive together are one check by the auth server", () =>
  withManage(async (t) => {
    const { token } = t.members.viewer;
    let checks = 0;
    const count = t.services.perMinute.count;
    t.services.perMinute.count = (subject, limit) => {
      if (subject.startsWith("token:")) checks++;
      return count(subject, limit);
    };

    const statuses = await Promise.all(Array.from({ length: 20 }, () => readFromOffice(t, token)));

    assert.deepEqual(new Set(statuses), new Set([200]));
    assert.equal(checks, 1);
  }));

Deno.test("a token that is no longer good counts as a stranger's", () =>
  withManage(async (t) => {
    const { token, userId } = t.members.viewer;
    assert.equal(await readFromOffice(t, token), 200);
    await t.sql`update auth.users set banned_until = now() + interval '1 day' where id = ${userId}`;
    const statuses: number[] = [];
    for (let index = 0; index < 125; index++) {
      forgetChecks(t, token);
      statuses.push(await readFromOffice(t, token));
    }

    assert.equal(statuses.filter((status) => status === 429).length > 0, true);
    assert.equal(statuses.includes(200), false);
  }));
