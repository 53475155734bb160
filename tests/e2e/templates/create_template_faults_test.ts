import assert from "node:assert/strict";
import { beginSubmission } from "../../../supabase/functions/_shared/db/templates/template_submissions.ts";
import { syncAccount } from "../../../supabase/functions/_shared/templates/sync_accounts.ts";
import { createTestHttp, type JsonObject } from "../../setup/http/http.ts";
import { closedPort } from "../../_shared/gateways/local_server.ts";
import { type Handling, type PlatformFront, withPlatformFront } from "../../setup/stack/platform_front.ts";
import { assertRefused } from "../assert_refused.ts";
import { createTemplate, listMade } from "./create_template.ts";
import { type Api, withApi } from "../with_api.ts";
import { SETTINGS } from "../../cli/service/production_settings.ts";
import { runCommand } from "../../cli/service/run_command.ts";

interface Fronted extends Api {
  front: PlatformFront;
  /** Returns the platform's templates of this name. */
  onPlatform(name?: string): Promise<JsonObject[]>;
  sync(): Promise<void>;
  openSubmissions(): Promise<number>;
}

/** Calls `fn` with the service on a platform whose network can be disturbed. */
async function withFront(fn: (api: Fronted) => Promise<void>): Promise<void> {
  await withPlatformFront((front) =>
    withApi(async (api) => {
      front.target = api.sandbox.url;
      const onPlatform = async (name = "order_on_its_way") => {
        const response = await fetch(`${api.sandbox.url}/sandbox/templates`);
        const { data } = await response.json() as { data: JsonObject[] };
        return data.filter((each) => each.name === name);
      };
      const sync = async () => {
        const whatsapp = { apiUrl: api.sandbox.url, apiVersion: "v25.0" };
        const [sender] = await api.sql`
          select id, token_sealed as token from outbound.senders where company_id = ${api.company.id}`;
        const account = {
          company_id: api.company.id,
          waba_id: api.sender.waba_id!,
          sender_id: sender!.id,
          token_sealed: sender!.token,
        };
        const { error } = await syncAccount({ ...api.services, whatsapp }, account);
        assert.equal(error, null);
      };
      const openSubmissions = async () => {
        const [row] = await api.sql`select count(*)::int as open from outbound.template_submissions`;
        return row!.open as number;
      };
      await fn({ ...api, front, onPlatform, sync, openSubmissions });
    }, { env: { WHATSAPP_API_URL: front.url, OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true" } })
  );
}

/** Disturbs the submissions of templates only. */
function onSubmission(front: PlatformFront, handling: () => Handling | Promise<Handling>): void {
  front.handle = (request) => request.method === "POST" ? handling() : "pass";
}

const withKey = (key: string) => ({ headers: { "idempotency-key": key } });

Deno.test("an unreachable platform is a 502 that names it, and nothing is left half-made", () =>
  withApi(async (api) => {
    const response = await createTemplate(api);

    assertRefused(response, {
      status: 502,
      error: "service_unavailable",
      details: { service: "whatsapp", estimated_recovery: null },
    });
    assert.deepEqual(await listMade(api), []);
    assert.equal((await api.sql`select 1 from outbound.template_submissions`).length, 0);
  }, { env: { WHATSAPP_API_URL: `http://127.0.0.1:${closedPort()}` } }));

Deno.test("when only the platform's response is lost, the template is found and returned as made", () =>
  withFront(async (api) => {
    onSubmission(api.front, () => "lose_answer");

    const { status, body } = await createTemplate(api);

    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual((await listMade(api)).map(({ id, status }) => [id, status]), [
      [body.template.id, "PENDING"],
    ]);
    assert.equal((await api.onPlatform()).length, 1);
    assert.equal(await api.openSubmissions(), 0);
  }));

Deno.test("when it is unknown whether the platform took it, the same request finds out", () =>
  withFront(async (api) => {
    for (const [name, lost] of [["taken", "lose_answer"], ["not_taken", "lose_request"]] as const) {
      const changes = {
        name_template: name,
        components_template: { BODY: { text: `All about what was ${name}` } },
      };
      api.front.handle = (request) => request.method === "POST" ? lost : "lose_request";
      const first = await createTemplate(api, changes);
      assertRefused(first, { status: 502, error: "service_unavailable" });
      assert.deepEqual(await listMade(api).then((made) => made.filter((each) => each.name === name)), []);

      api.front.handle = () => "pass";
      const again = await createTemplate(api, changes);

      assert.equal(again.status, 200, JSON.stringify(again.body));
      assert.equal((await api.onPlatform(name)).length, 1);
      assert.equal(await api.openSubmissions(), 0);
    }
  }));

Deno.test("another template of the name whose first attempt is open is refused when the platform has the first", () =>
  withFront(async (api) => {
    api.front.handle = (request) => request.method === "POST" ? "lose_answer" : "lose_request";
    await createTemplate(api);
    api.front.handle = () => "pass";

    const other = await createTemplate(api, { components_template: { BODY: { text: "Another text" } } });

    assertRefused(other, { status: 400, error: "validation_failed" });
    assert.equal(other.body.details.field, "name_template");
    const [made] = await listMade(api);
    assert.equal(made!.id, other.body.details.template_id);
    assert.match(JSON.stringify(made!.components), /your order/);
  }));

Deno.test("a platform that responds with nonsense, errors or too much is a 502, and a retry goes through", () =>
  withFront(async (api) => {
    const error = (code: number, status: number) =>
      Response.json({ error: { code, message: `(#${code}) no`, error_user_title: "Not now" } }, { status });
    const responses: [() => Response, status: number][] = [
      [() => new Response("<html>", { status: 503 }), 502],
      [() => new Response("not json", { status: 200 }), 502],
      [() => error(2, 503), 502],
      [() => error(80008, 429), 502],
      [() => error(190, 401), 502],
      [() => error(200, 403), 502],
      [() => Response.redirect("https://example.com/", 302), 400],
    ];
    for (const [respond, expected] of responses) {
      onSubmission(api.front, respond);
      const { status, body } = await createTemplate(api);
      assert.equal(status, expected, JSON.stringify(body));
      assert.equal(body.details.service, "whatsapp");
      assert.deepEqual(await listMade(api), []);
    }
    api.front.handle = () => "pass";

    assert.equal((await createTemplate(api)).status, 200);
  }));

Deno.test("every outage of the platform is a 502 that speaks of the template and says when to come back, if known", () =>
  withFront(async (api) => {
    const json = (status: number) => () =>
      Response.json({ error: { code: 2, message: "(#2) Service temporarily unavailable" } }, { status });
    const outages: [name: string, handle: () => Handling][] = [
      ["internal_error", json(500)],
      ["unavailable", json(503)],
      ["proxy_page", () => new Response("<html>", { status: 503 })],
      ["garbage", () => new Response("not json")],
      ["list_of_nothing", () => Response.json({})],
      ["dropped", () => "lose_request"],
      ["answer_lost", () => "lose_answer"],
    ];
    const expected =
      /^The messaging platform did not say whether it took the template\..* Send the same request/;
    for (const [name, handle] of outages) {
      api.services.outages.worked("whatsapp");
      api.front.handle = handle;
      for (const isKnown of [false, true]) {
        const { status, body } = await createTemplate(api, { name_template: name });

        assert.equal(status, 502, name);
        const { service, estimated_recovery } = body.details;
        assert.deepEqual([service, estimated_recovery !== null], ["whatsapp", isKnown], name);
        assert.match(body.message, expected, name);
        assert.doesNotMatch(body.message, /list/, name);
      }
    }
  }));

/** Seconds from now; null for a time that is not known. */
Deno.test("a platform that says when to come back is quoted, whatever it failed at", () =>
  withFront(async (api) => {
    const busy = (status: number) => new Response("<html>", { status, headers: { "retry-after": "90" } });
    const image = () => new Response("an image", { headers: { "content-type": "image/png" } });
    const HEADER = { format: "IMAGE", example: { header_handle: [`${api.front.url}/image`] } };
    const outages: [name: string, handle: (request: Request) => Handling, components?: JsonObject][] = [
      ["while_submitted", ({ method }) => method === "POST" ? busy(503) : "lose_request"],
      ["while_asked", ({ method }) => method === "GET" ? busy(503) : "lose_request"],
      ["too_often", () => busy(429)],
      ["with_sample", ({ url }) => url.endsWith("/image") ? image() : busy(503), { HEADER }],
    ];
    for (const [name, handle, components] of outages) {
      api.front.handle = handle;
      const components_template = { BODY: { text: `All about ${name}` }, ...components };

      const asked = Date.now();
      const { status, body } = await createTemplate(api, { name_template: name, components_template });

      assert.deepEqual([status, body.retry_after], [502, 90], `${name} ${JSON.stringify(body)}`);
      const recovery = Date.parse(body.details.estimated_recovery) - 90_000;
      assert.ok(
        recovery > asked - 1000 && recovery <= Date.now(),
        `${name} ${body.details.estimated_recovery}`,
      );
    }
  }));

Deno.test("an outage that a dispatcher has met already is expected to last until it asks again", () =>
  withFront(async (api) => {
    const [sender] = await api.sql`
      update outbound.sender_rate_state
      set failures = 9, blocked_until = date_trunc('second', now() + interval '40 seconds')
      where sender_id = ${api.sender.id} returning blocked_until`;
    api.front.handle = () => "lose_request";

    const { body } = await createTemplate(api);

    assert.equal(Date.parse(body.details.estimated_recovery), sender!.blocked_until.getTime());
    assert.equal(body.retry_after, undefined);
  }));

Deno.test("a platform that refuses the sender's token is a 502 without an end in sight, whatever it was asked", () =>
  withFront(async (api) => {
    const details = { service: "whatsapp", estimated_recovery: null };
    const expired = (code = 190) =>
      Response.json({ error: { code, message: `(#${code}) denied` } }, { status: code === 190 ? 401 : 403 });
    const image = () => new Response("an image", { headers: { "content-type": "image/png" } });
    const HEADER = { format: "IMAGE", example: { header_handle: [`${api.front.url}/image`] } };
    const cases: [
      name: string,
      handle: (request: Request) => Handling,
      message: RegExp,
      parts?: JsonObject,
    ][] = [
      ["submitted", () => expired(), /access token has expired.*#190/],
      ["no_permission", () => expired(10), /permission is missing.*#10/],
      ["another_permission", () => expired(294), /permission of the app is missing.*#294/],
      ["with_sample", ({ url }) => url.endsWith("/image") ? image() : expired(), /access token.*#190/, {
        HEADER,
      }],
      [
        "found_out",
        ({ method }) => method === "POST" ? "lose_answer" : expired(),
        /whether it took the template\. .*token.* Once that is solved, send/,
      ],
    ];
    await api.sql`
      update outbound.sender_rate_state set failures = 9, blocked_until = now() + interval '40 seconds'
      where sender_id = ${api.sender.id}`;
    for (const [name, handle, message, parts] of cases) {
      api.front.handle = handle;
      const components_template = { BODY: { text: `All about ${name}` }, ...parts };
      const response = await createTemplate(api, { name_template: name, components_template });

      assertRefused(response, { status: 502, error: "service_unavailable", details }, name);
      assert.match(response.body.message, message);
    }
    api.front.handle = () => "pass";
    assert.equal((await createTemplate(api)).status, 200);
  }));

Deno.test("a process that dies after the platform responded leaves nothing that a retry or a sync does not settle", () =>
  withFront(async (api) => {
    const cut = async (name: string, work: () => Promise<unknown>) => {
      await api.sql.unsafe(`alter function outbound.finish_template_submission rename to ${name}`);
      await work();
      await api.sql.unsafe(`alter function outbound.${name} rename to finish_template_submission`);
    };
    // Not checked against the house rules, because a dead process sends no response.
    const dying = { ...api, http: createTestHttp(api.app) };
    await cut("gone_1", async () => assert.equal((await createTemplate(dying)).status, 500));
    assert.deepEqual([await listMade(api), await api.openSubmissions()], [[], 1]);
    const again = await createTemplate(api);
    assert.equal(again.status, 200, JSON.stringify(again.body));

    const text = { components_template: { BODY: { text: "Another text" } } };
    await cut("gone_2", () => createTemplate(dying, { name_template: "synced", ...text }));
    await api.sql`update outbound.template_submissions set lease_until = now()`;
    await api.sync();

    const made = await listMade(api);
    assert.deepEqual(made.map(({ name, status }) => [name, status]).sort(), [
      ["order_on_its_way", "PENDING"],
      ["synced", "PENDING"],
    ]);
    assert.equal(await api.openSubmissions(), 0);
  }));

/** Starts the service in a process of its own, which can be killed. */
async function startService({ databases, env }: Api) {
  const settings = { ...SETTINGS, ...databases, WHATSAPP_API_URL: env.WHATSAPP_API_URL };
  const { output, stop } = await runCommand("serve", settings, /Listening on .*\n/);
  const url = /Listening on (\S+)/.exec(output)![1]!.replace("0.0.0.0", "127.0.0.1");
  return { http: createTestHttp(new URL(url).origin), stop };
}

Deno.test("kill -9 before or after the platform took the template: a retry makes or finds it, once", () =>
  withFront(async (api) => {
    for (const taken of [false, true]) {
      const name = taken ? "killed_after" : "killed_before";
      const { promise: killed, resolve: tellKilled } = Promise.withResolvers<void>();
      const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
      onSubmission(api.front, async () => {
        if (taken) return { loseAnswerAfter: killed, onTaken: reach };
        reach();
        await killed;
        return "lose_request" as const;
      });
      const service = await startService(api);
      const text = { components_template: { BODY: { text: `All about ${name}` } } };
      const creating = createTemplate({ ...api, http: service.http }, { name_template: name, ...text })
        .then(({ status }) => status, () => null);
      const early = await Promise.race([reached.then(() => null), creating]);
      assert.equal(early, null, "the service responded before the platform had the template");
      await service.stop("SIGKILL");
      assert.equal(await creating, null);
      tellKilled();
      api.front.handle = () => "pass";

      assert.equal((await api.onPlatform(name)).length, taken ? 1 : 0);
      assert.equal(await api.openSubmissions(), 1);
      assert.deepEqual((await listMade(api)).filter((each) => each.name === name), []);
      const retry = await createTemplate(api, { name_template: name, ...text });

      assert.equal(retry.status, 200, JSON.stringify(retry.body));
      assert.equal((await api.onPlatform(name)).length, 1);
      assert.equal(await api.openSubmissions(), 0);
    }
    assert.deepEqual((await listMade(api)).map(({ name }) => name), ["killed_after", "killed_before"]);
  }));

Deno.test("a template that the platform never got is in no list, holds up no campaign, and is gone after a sync", () =>
  withFront(async (api) => {
    const open = (name: string) =>
      beginSubmission(api.sql, api.company.id, {
        id: crypto.randomUUID(),
        waba_id: api.sender.waba_id!,
        name,
        language: "en_US",
        content_hash: "x",
        lease_s: 0,
        idempotency: null,
      });
    await open("order_on_its_way");
    await open("never_sent");

    assert.deepEqual(await listMade(api), []);
    assert.equal((await createTemplate(api)).status, 200);
    assert.equal(await api.openSubmissions(), 1);
    await api.sync();
    assert.deepEqual((await listMade(api)).map(({ name }) => name), ["order_on_its_way"]);
    assert.equal(await api.openSubmissions(), 0);
  }));

Deno.test("a sync that began before a template was made does not take it for deleted", () =>
  withFront(async (api) => {
    const { data } = await (await fetch(`${api.sandbox.url}/sandbox/templates`)).json() as JsonObject;
    const [{ now: listedAt }] = await api.sql`select now()::text as now` as unknown as [{ now: string }];
    await createTemplate(api);
    await api.sql`
      select outbound.sync_templates(${api.company.id}, ${api.sender.waba_id!},
        ${
      api.sql.json(data.map(({ name, language }: JsonObject) => ({
        name,
        language,
        category: "UTILITY",
        status: "approved",
        parameter_format: "POSITIONAL",
        components: [],
      })))
    }, ${listedAt}::text::timestamptz)`;

    assert.equal((await listMade(api))[0]!.status, "PENDING");
  }));

Deno.test("Idempotency-Key: a template that was submitted is returned again, whatever became of it", () =>
  withFront(async (api) => {
    const first = await createTemplate(api, {}, withKey("k"));
    await api.sql`update outbound.templates set status = 'rejected', updated_at = now()`;
    const second = await createTemplate(api, {}, withKey("k"));

    assert.deepEqual([second.status, second.body], [200, first.body]);
    assert.equal(second.headers.get("idempotent-replayed"), "true");
    assert.equal(first.headers.get("idempotent-replayed"), null);
    assertRefused(await createTemplate(api, { name_template: "other" }, withKey("k")), {
      status: 422,
      error: "idempotency_key_reused",
    });
    const other = await api.addTenant();
    const theirs = await createTemplate({ ...api, ...other }, {}, withKey("k"));
    assert.equal(theirs.headers.get("idempotent-replayed"), null);
    assert.notEqual(theirs.body.template.id, first.body.template.id);
    assertRefused(
      await createTemplate(
        api,
        { company_id: other.company.id, waba_id: other.sender.waba_id },
        withKey("k"),
      ),
      { status: 403, error: "forbidden" },
    );
  }));

Deno.test("Idempotency-Key: while the first request is under way others get a 409, and it is submitted once", () =>
  withFront(async (api) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    onSubmission(api.front, async () => {
      arrive();
      await released;
      return "pass" as const;
    });
    const first = createTemplate(api, {}, withKey("k"));
    await arrived;

    const second = await createTemplate(api, {}, withKey("k"));
    assertRefused(second, { status: 409, error: "idempotency_key_in_use" });
    assert.ok(Number(second.headers.get("retry-after")) >= 1);
    assertRefused(await createTemplate(api, { name_template: "other" }, withKey("k")), {
      status: 422,
      error: "idempotency_key_reused",
    });
    release();
    const { status, body } = await first;
    assert.equal(status, 200);
    const third = await createTemplate(api, {}, withKey("k"));
    assert.deepEqual([third.status, third.body], [200, body]);
    assert.equal(api.front.seen.filter((line) => line.startsWith("POST")).length, 1);
  }));

Deno.test("Idempotency-Key: a request whose process died is taken up again, also after a sync found its template", () =>
  withFront(async (api) => {
    const dying = { ...api, http: createTestHttp(api.app) };
    const die = async (changes: JsonObject, key: string, number: number) => {
      await api.sql.unsafe(`alter function outbound.finish_template_submission rename to gone_${number}`);
      await createTemplate(dying, changes, withKey(key));
      await api.sql.unsafe(`alter function outbound.gone_${number} rename to finish_template_submission`);
    };
    await die({}, "k1", 1);
    assertRefused(await createTemplate(api, {}, withKey("k1")), {
      status: 409,
      error: "idempotency_key_in_use",
    });
    await api.sql`update outbound.template_submissions set lease_until = now()`;
    const first = await createTemplate(api, {}, withKey("k1"));
    assert.equal(first.status, 200, JSON.stringify(first.body));

    const other = { name_template: "synced", components_template: { BODY: { text: "Another text" } } };
    await die(other, "k2", 2);
    await api.sql`update outbound.template_submissions set lease_until = now()`;
    await api.sync();
    const second = await createTemplate(api, other, withKey("k2"));
    assert.equal(second.status, 200, JSON.stringify(second.body));
    assert.equal(await api.openSubmissions(), 0);
    assert.deepEqual((await createTemplate(api, other, withKey("k2"))).body, second.body);
  }));

Deno.test("Idempotency-Key: a refused template is not remembered", () =>
  withFront(async (api) => {
    onSubmission(api.front, () => Response.json({ error: { code: 100, message: "no" } }, { status: 400 }));
    assert.equal((await createTemplate(api, {}, withKey("k"))).status, 400);
    api.front.handle = () => "pass";
    const { status, headers } = await createTemplate(api, {}, withKey("k"));

    assert.deepEqual([status, headers.get("idempotent-replayed")], [200, null]);
  }));

Deno.test("of the same requests at once the template is made once, and all that are granted name it", () =>
  withFront(async (api) => {
    const responses = await Promise.all(Array.from({ length: 4 }, () => createTemplate(api)));

    const granted = responses.filter(({ status }) => status === 200);
    const refused = responses.filter(({ status }) => status !== 200);
    assert.ok(granted.length >= 1, JSON.stringify(responses.map(({ body }) => body)));
    for (const response of refused) assertRefused(response, { status: 400, error: "validation_failed" });
    assert.equal(new Set(granted.map(({ body }) => body.template.id)).size, 1);
    assert.equal((await listMade(api)).length, 1);
    assert.equal((await api.onPlatform()).length, 1);
    assert.equal(await api.openSubmissions(), 0);
  }));
