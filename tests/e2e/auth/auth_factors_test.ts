import assert from "node:assert/strict";
import { totpCode } from "../../../local/auth/totp.ts";
import { insertCompany, insertKey, insertMember } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import type { TestUser } from "../../setup/stack/login.ts";
import { assertRefused } from "../assert_refused.ts";
import { type Environment, withEnvironment } from "../with_environment.ts";

const BEHIND_PROXY = { env: { OUTBOUND_TRUSTED_PROXIES: "1" } };
const needed = { status: 403, error: "second_factor_required" };

async function logIn({ http, keepSecret }: Environment, { email, password }: TestUser): Promise<JsonObject> {
  const { status, body } = await http.post("/auth", { email, password }, {
    query: { grant_type: "password" },
  });
  assert.equal(status, 200, JSON.stringify(body));
  keepSecret(password, body.access_token, body.refresh_token);
  return body;
}

const bearer = ({ access_token }: JsonObject) => ({ headers: { authorization: `Bearer ${access_token}` } });

const code = (secret: string) => totpCode(secret, Date.now());

/** A code that is wrong, also in the half minutes around now. */
function wrongCode(secret: string): string {
  const right = [-1, 0, 1, 2].map((step) => totpCode(secret, Date.now() + step * 30_000));
  return ["000000", "111111", "222222", "333333", "444444"].find((each) => !right.includes(each))!;
}

async function verify({ http, keepSecret }: Environment, session: JsonObject, id: string, given: unknown) {
  const response = await http.post(`/auth/factors/${id}/verify`, { code: given }, bearer(session));
  if (response.status === 200) keepSecret(response.body.access_token, response.body.refresh_token);
  return response;
}

interface Enrolled {
  user: TestUser;
  factorId: string;
  secret: string;
  /** Of the password and the code. */
  session: JsonObject;
}

/** Makes a user with a second factor. */
async function enroll(environment: Environment): Promise<Enrolled> {
  const { http, createUser, keepSecret } = environment;
  const user = await createUser();
  const first = await logIn(environment, user);
  const { status, body } = await http.post("/auth/factors", { name: "Phone" }, bearer(first));
  assert.equal(status, 200, JSON.stringify(body));
  keepSecret(body.secret);
  const verified = await verify(environment, first, body.factor_id, code(body.secret));
  assert.equal(verified.status, 200, JSON.stringify(verified.body));
  return { user, factorId: body.factor_id, secret: body.secret, session: verified.body };
}

Deno.test("a user with a second factor is not let in by the password alone", () =>
  withEnvironment(async (environment) => {
    const { http, sql } = environment;
    const { user, factorId, secret } = await enroll(environment);
    const company = await insertCompany(sql);
    const { key } = await insertKey(sql, company.id);
    await insertMember(sql, company.id, user.id);

    const session = await logIn(environment, user);
    const companies = () => http.get("/manage/companies", bearer(session));
    assert.equal(session.user.factors, undefined, "only the contract's fields");
    assertRefused(await companies(), needed);
    assertRefused(await companies(), needed);
    assertRefused(await http.get(`/manage/companies/${company.id}/keys`, bearer(session)), needed);
    const tools = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    const accept = { accept: "application/json, text/event-stream", ...bearer(session).headers };
    assert.equal((await http.post("/mcp", tools, { headers: accept })).status, 403);
    const keys = await http.post("/api_keys", undefined, bearer(session));
    assert.deepEqual([keys.status, keys.body], [403, {
      success: false,
      message: "Enter the code of your second factor first",
      deniedCompanies: [],
    }]);
    assertRefused(await http.post("/auth/password", { password: "another horse" }, bearer(session)), needed);
    assertRefused(await http.post("/auth/factors", { name: "Mine" }, bearer(session)), needed);
    assertRefused(
      await http.request("DELETE", `/auth/factors/${factorId}`, undefined, bearer(session)),
      needed,
    );

    const { body } = await verify(environment, session, factorId, code(secret));
    const opened = await http.post("/api_keys", undefined, bearer(body));
    assert.deepEqual([opened.status, opened.body.validApiKeys[0].key], [200, key]);
    assert.equal((await http.get("/manage/companies", bearer(body))).status, 200);
    const next = await http.post("/auth/refresh", { refresh_token: body.refresh_token });
    environment.keepSecret(next.body.access_token, next.body.refresh_token);
    assert.equal((await http.get("/manage/companies", bearer(next.body))).status, 200, "after a refresh");
  }));

Deno.test("a set-up that is not finished changes nothing, and the next one replaces it", () =>
  withEnvironment(async (environment) => {
    const { http, createUser } = environment;
    const session = await logIn(environment, await createUser());
    const list = async () => (await http.get("/auth/factors", bearer(session))).body.factors;
    const begin = async () => {
      const { body } = await http.post("/auth/factors", { name: "Phone" }, bearer(session));
      environment.keepSecret(body.secret);
      return body;
    };
    const first = await begin();
    const second = await begin();

    assert.notEqual(first.secret, second.secret);
    assert.match(second.uri, /^otpauth:\/\/totp\/.+secret=/);
    assert.match(second.qr_code, /^<svg/);
    const [factor, ...others] = await list();
    const { factor_id, type, name, is_verified } = factor;
    assert.deepEqual([{ factor_id, type, name, is_verified }, others], [
      { factor_id: second.factor_id, type: "totp", name: "Phone", is_verified: false },
      [],
    ]);
    assert.equal((await http.get("/manage/companies", bearer(session))).status, 200);
  }));

Deno.test("the first code ends the user's other sessions, and a removed factor is needed no more", () =>
  withEnvironment(async (environment) => {
    const { http } = environment;
    const { user, factorId, session } = await enroll(environment);
    const elsewhere = await logIn(environment, user);

    assertRefused(await http.post("/auth/factors", { name: "Phone" }, bearer(session)), {
      status: 400,
      error: "validation_failed",
    });
    const { status } = await http.request("DELETE", `/auth/factors/${factorId}`, undefined, bearer(session));

    assert.equal(status, 204);
    assert.deepEqual((await http.get("/auth/factors", bearer(session))).body, { factors: [] });
    assert.equal((await http.get("/manage/companies", bearer(elsewhere))).status, 200);
  }));

Deno.test("POST /auth/factors/{factor_id}/verify refuses wrong codes, other people's factors, and guessing", () =>
  withEnvironment(async (environment) => {
    const { user, factorId, secret } = await enroll(environment);
    const stranger = await logIn(environment, await environment.createUser());
    const session = await logIn(environment, user);

    for (const given of [undefined, "", "12345", "1234567", "abcdef", 123456]) {
      const response = await verify(environment, session, factorId, given);
      assertRefused(response, { status: 400, error: "validation_failed" }, String(given));
    }
    for (const id of [crypto.randomUUID(), "x", "..%2Fuser"]) {
      assertRefused(
        await verify(environment, session, id, code(secret)),
        { status: 404, error: "not_found" },
        id,
      );
    }
    for (let count = 0; count < 12; count++) {
      const response = await verify(environment, stranger, factorId, code(secret));
      assertRefused(response, { status: 404, error: "not_found" });
    }
    // One was used up when the factor was set up.
    for (let count = 0; count < 9; count++) {
      const response = await verify(environment, session, factorId, wrongCode(secret));
      assertRefused(response, { status: 400, error: "validation_failed" });
    }
    assertRefused(await verify(environment, session, factorId, code(secret)), {
      status: 429,
      error: "rate_limit_exceeded",
    });
  }, BEHIND_PROXY));

Deno.test("/auth/factors refuses who is not logged in", () =>
  withEnvironment(async ({ http }) => {
    const path = `/auth/factors/${crypto.randomUUID()}`;
    for (
      const response of [
        await http.get("/auth/factors"),
        await http.post("/auth/factors", { name: "x" }),
        await http.post(`${path}/verify`, { code: "123456" }),
        await http.request("DELETE", path),
      ]
    ) assertRefused(response, { status: 401, error: "unauthorized" });
  }));
