import assert from "node:assert/strict";
import type { TestUser } from "../../setup/stack/login.ts";
import { assertRefused } from "../assert_refused.ts";
import { withAuthProxy } from "./auth_proxy.ts";
import { type Environment, withEnvironment } from "../with_environment.ts";

const BEHIND_PROXY = { env: { OUTBOUND_TRUSTED_PROXIES: "1" } };
const OWNER = "192.0.2.1";

/** `POST /auth?grant_type=password` from an address. */
async function logIn(
  { http, keepSecret }: Environment,
  { email, password }: Pick<TestUser, "email" | "password">,
  address = OWNER,
) {
  keepSecret(password);
  const headers = { "x-forwarded-for": address };
  return await http.post("/auth", { email, password }, { query: { grant_type: "password" }, headers });
}

const wrong = ({ email }: Pick<TestUser, "email">) => ({ email, password: "not the password" });

/** The n-th of a stranger's addresses. */
const stranger = (n: number) => `198.51.${100 + (n >> 8)}.${n & 255}`;

/** Calls `fn` with an auth server behind a proxy, and a function that tries wrong passwords from many addresses. */
async function underAttack(
  fn: (
    environment: Environment,
    attack: (user: TestUser, addresses: number, perAddress?: number) => Promise<number>,
  ) => Promise<void>,
): Promise<void> {
  await withAuthProxy((proxy) =>
    withEnvironment(async (environment) => {
      proxy.target = environment.authUrl;
      // Refused at once: comparing that many passwords would take longer than the limits have to be empty.
      const refuse = () => Response.json({ error_code: "invalid_credentials", msg: "no" }, { status: 400 });
      await fn(environment, async (user, addresses, perAddress = 1) => {
        proxy.respond = refuse;
        let judged = 0;
        for (let n = 0; n < addresses * perAddress; n++) {
          const { status } = await logIn(environment, wrong(user), stranger(n % addresses));
          if (status === 401) judged++;
        }
        proxy.respond = undefined;
        return judged;
      });
    }, { env: { OUTBOUND_TRUSTED_PROXIES: "1", SUPABASE_URL: proxy.url } })
  );
}

/** Makes every counter look as if it was written so many seconds ago. */
async function pass({ sql }: Environment, seconds: number): Promise<void> {
  await sql`
    update outbound.login_attempts set
      window_start = window_start - make_interval(secs => ${seconds}),
      full_at = full_at - make_interval(secs => ${seconds}),
      known_until = known_until - make_interval(secs => ${seconds}),
      expires_at = expires_at - make_interval(secs => ${seconds})`;
}

Deno.test("POST /auth lets ten of many attempts at once through to an account from one address", () =>
  withEnvironment(async (environment) => {
    const user = await environment.createUser();
    const started = Date.now();
    const responses = await Promise.all(Array.from({ length: 15 }, () => logIn(environment, wrong(user))));

    const refused = responses.filter(({ status }) => status === 429);
    assert.deepEqual([responses.filter(({ status }) => status === 401).length, refused.length], [10, 5]);
    for (
      const response of [...refused, await logIn(environment, { ...user, email: user.email.toUpperCase() })]
    ) {
      assertRefused(response, { status: 429, error: "rate_limit_exceeded" });
      const { reset_time, ...details } = response.body.details;
      assert.deepEqual(details, { limit: 10, window: "300s" });
      assert.ok(response.body.retry_after > 200 && response.body.retry_after <= 300);
      assert.equal(response.headers.get("retry-after"), String(response.body.retry_after));
      const respondedAt = Date.parse(reset_time) - response.body.retry_after * 1000;
      assert.ok(started <= respondedAt && respondedAt <= Date.now());
    }
  }, BEHIND_PROXY));

Deno.test("POST /auth counts every spelling that the auth server takes for one account together", () =>
  withEnvironment(async (environment) => {
    const { password } = await environment.createUser({ email: "victim.vii@example.com" });
    const spellings = ["victim.vii@example.com", "VICTIM.VII@example.com", "vİctİm.vİİ@example.com"];
    const statuses = [];
    for (let count = 0; count < 12; count++) {
      statuses.push((await logIn(environment, wrong({ email: spellings[count % 3]! }))).status);
    }

    assert.deepEqual(statuses, [...Array(10).fill(401), 429, 429]);
    const elsewhere = { email: spellings[2]!, password };
    assert.equal((await logIn(environment, elsewhere, stranger(1))).status, 200);
  }, BEHIND_PROXY));

for (const addresses of [1, 5]) {
  Deno.test(`POST /auth lets the owner in at once after all that strangers at ${addresses} addresses can try`, () =>
    underAttack(async (environment, attack) => {
      const user = await environment.createUser();
      await attack(user, addresses, 12);

      assert.equal((await logIn(environment, wrong(user))).status, 401, "a mistake of the owner's");
      assert.equal((await logIn(environment, user)).status, 200);
    }));
}

Deno.test("POST /auth gives many addresses together 20 attempts at an account, then one per ten seconds", () =>
  underAttack(async (environment, attack) => {
    const user = await environment.createUser();
    assert.equal(await attack(user, 30), 20);

    const response = await logIn(environment, user);
    assertRefused(response, { status: 429, error: "rate_limit_exceeded" });
    const { limit, window } = response.body.details;
    assert.deepEqual({ limit, window }, { limit: 1, window: "10s" });
    assert.ok(response.body.retry_after >= 1 && response.body.retry_after <= 10);
    await pass(environment, 10);
    assert.equal(
      (await logIn(environment, user)).status,
      200,
      "the owner's turn, from an address never seen",
    );
  }));

Deno.test("POST /auth does not slow down an owner at an address of an earlier log-in", () =>
  underAttack(async (environment, attack) => {
    const user = await environment.createUser();
    assert.equal((await logIn(environment, user)).status, 200);
    await attack(user, 25);

    assert.equal((await logIn(environment, user, stranger(200))).status, 429);
    assert.equal((await logIn(environment, wrong(user))).status, 401);
    assert.equal((await logIn(environment, user)).status, 200);
    await pass(environment, 31 * 86_400);
    await attack(user, 25);
    assert.equal((await logIn(environment, user)).status, 429, "a month later the address is unknown again");
  }));

Deno.test("POST /auth limits attempts from one address over all accounts, whatever X-Forwarded-For says", () =>
  withEnvironment(async (environment) => {
    const user = await environment.createUser();
    await logIn(environment, wrong({ email: "first@example.com" }));
    const { count } = await environment
      .sql`update outbound.login_attempts set attempts = 50 where full_at is null`;
    assert.equal(count, 2, "the address, and the pair");

    for (const response of [await logIn(environment, user), await logIn(environment, user, "198.51.100.7")]) {
      assertRefused(response, { status: 429, error: "rate_limit_exceeded" });
      assert.equal(response.body.details.limit, 50);
    }
    const accounts = await environment.sql`select 1 from outbound.login_attempts`;
    assert.equal(accounts.length, 3, "a refused address leaves nothing behind");
  }));

Deno.test("POST /auth counts anew after a success and after five minutes", () =>
  withEnvironment(async (environment) => {
    const user = await environment.createUser();
    const fail = async (times: number) => {
      for (let count = 0; count < times; count++) {
        assert.equal((await logIn(environment, wrong(user))).status, 401);
      }
    };
    await fail(9);
    assert.equal((await logIn(environment, user)).status, 200);
    await fail(10);
    assert.equal((await logIn(environment, user)).status, 429);

    await pass(environment, 300);
    await fail(1);
    assert.equal((await logIn(environment, user)).status, 200);
  }, BEHIND_PROXY));

Deno.test("counters of POST /auth are deleted after a day, and the address of a log-in after 30", () =>
  withEnvironment(async (environment) => {
    const user = await environment.createUser();
    await logIn(environment, user);
    await logIn(environment, wrong(user), stranger(1));
    const left = async () => {
      await environment.sql`select outbound.clean_up()`;
      return (await environment.sql`select 1 from outbound.login_attempts`).length;
    };

    assert.equal(await left(), 5, "two addresses, two pairs, and the account");
    await pass(environment, 86_400);
    assert.equal(await left(), 1);
    await pass(environment, 29 * 86_400);
    assert.equal(await left(), 0);
  }, BEHIND_PROXY));

Deno.test("POST /auth passes on that the auth server is asked too often, and counts no attempt", () =>
  withAuthProxy((proxy) =>
    withEnvironment(async (environment) => {
      const user = await environment.createUser();
      proxy.target = environment.authUrl;
      for (const [header, expected] of [["7", 7], [null, 60], ["soon", 60], ["99999", 3600]] as const) {
        const headers = header === null ? {} : { "retry-after": header };
        proxy.respond = () => Response.json({ code: "over_request_rate_limit" }, { status: 429, headers });
        for (let count = 0; count < 6; count++) {
          const response = await logIn(environment, user);
          assertRefused(response, { status: 429, error: "rate_limit_exceeded" });
          assert.equal(response.body.retry_after, expected);
          assert.equal(response.headers.get("retry-after"), String(expected));
        }
      }
      proxy.respond = undefined;
      assert.equal((await logIn(environment, user)).status, 200);
    }, { env: { OUTBOUND_TRUSTED_PROXIES: "1", SUPABASE_URL: proxy.url } })
  ));

Deno.test("POST /auth passes on what the auth server says although the attempt cannot be taken off the limits", () =>
  withAuthProxy((proxy) =>
    withEnvironment(async (environment) => {
      const user = await environment.createUser();
      proxy.target = environment.authUrl;
      await environment.sql`alter function outbound.refund_login_attempt rename to gone`;
      const responses: [response: Response, status: number, error: string][] = [
        [Response.json({ code: "over_request_rate_limit" }, { status: 429 }), 429, "rate_limit_exceeded"],
        [new Response("down", { status: 503 }), 502, "service_unavailable"],
      ];
      for (const [response, status, error] of responses) {
        proxy.respond = () => response;
        assertRefused(await logIn(environment, user), { status, error });
      }
    }, { env: { OUTBOUND_TRUSTED_PROXIES: "1", SUPABASE_URL: proxy.url } })
  ));

for (
  const [name, key, forwarded] of [
    ["a secret key", "sb_secret_test", OWNER],
    ["a legacy service key", "eyJhbGciOiJIUzI1NiJ9.e30.x", null],
    ["no secret key", "", null],
  ] as const
) {
  Deno.test(`POST /auth with ${name} ${forwarded ? "names" : "does not name"} the visitor's address to the auth server`, () =>
    withAuthProxy((proxy) =>
      withEnvironment(async (environment) => {
        const user = await environment.createUser();
        proxy.target = environment.authUrl;

        assert.equal((await logIn(environment, user)).status, 200);
        const { headers } = proxy.seen[0]!;
        assert.equal(headers.get("sb-forwarded-for"), forwarded);
        assert.equal(headers.get("apikey"), forwarded ? key : "sb_publishable_test");
      }, { env: { OUTBOUND_TRUSTED_PROXIES: "1", SUPABASE_URL: proxy.url, SUPABASE_SECRET_KEY: key } })
    ));
}
