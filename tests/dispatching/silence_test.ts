import assert from "node:assert/strict";
import { createLog } from "../../supabase/functions/_shared/log.ts";
import type { Services } from "../../supabase/functions/_shared/services.ts";
import { closeServer } from "../setup/http/close_server.ts";
import { statusesOf } from "../setup/fixtures/queue.ts";
import { eventually } from "../setup/eventually.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { type Dispatching, numberOf, withDispatching } from "./with_dispatching.ts";

/** Longer than the window in which the platform may say what became of a message. */
const SILENCE_S = 121;

/** A message of unknown outcome: the platform has it if `taken`, and says nothing about it. */
async function sendIntoTheUnknown(t: Dispatching, { taken }: { taken: boolean }): Promise<string> {
  const fault = taken ? "drop" : { drop_before: true };
  await t.sandbox.addFault({ match: { to: numberOf(0) }, fault, times: 1 });
  const { ids } = await t.enqueue(1);
  await t.dispatch();
  assert.deepEqual(await statusesOf(t.sql, ids), ["unconfirmed"]);
  return ids[0]!;
}

/** The services of a dispatcher with a setting of its own, and the errors it logs. */
function dispatcherWith(t: Dispatching, env: Partial<Services["env"]>) {
  const errors: JsonObject[] = [];
  const log = createLog("error", (line) => errors.push(JSON.parse(line)));
  const services = { ...t.dispatcherServices, log, env: { ...t.dispatcherServices.env, ...env } };
  return { services, errors };
}

/** Whether a probe that was begun after the last attempt has come back. */
async function cameBackAfterAttempt({ sql }: Dispatching): Promise<boolean> {
  const [row] = await sql`
    select returned_at > (select max(claimed_at) from outbound.notifications) as after from outbound.webhook_probe`;
  return row!.after;
}

/** Its window has not ended, or has been extended since. */
async function isWaiting({ sql }: Dispatching, id: string): Promise<boolean> {
  const rows = await sql`
    select from outbound.notifications where id = ${id} and status = 'unconfirmed' and lease_until > now()`;
  return rows.length === 1;
}

Deno.test("a quiet sender whose webhook can be reached is sent again when the window ends", () =>
  withDispatching(async (t) => {
    await t.sandbox.configure({ webhooks: false });
    const id = await sendIntoTheUnknown(t, { taken: false });

    await t.running(async () => {
      await eventually(async () => assert.equal(await cameBackAfterAttempt(t), true));
      await t.later(SILENCE_S);
      await eventually(async () => assert.deepEqual(await statusesOf(t.sql, [id]), ["sent"]));
    });

    assert.deepEqual([...(await t.taken()).values()], [1]);
  }));

Deno.test("while no message waits for the platform's word, the webhook is probed once per hour", () =>
  withDispatching(async (t) => {
    const begun = async () => (await t.sql`select begun_at::text from outbound.webhook_probe`)[0]!.begun_at;
    await t.dispatch();
    const first = await begun();
    await t.sql`update outbound.webhook_probe set begun_at = begun_at - interval '59 minutes',
      returned_at = returned_at - interval '59 minutes'`;
    const within = await begun();
    await t.dispatch();
    const still = await begun();
    await t.sql`update outbound.webhook_probe set begun_at = begun_at - interval '1 minute'`;
    await t.dispatch();

    assert.equal(still, within);
    assert.ok(await begun() > first, "no second probe");
  }));

/** Why nothing of the platform can come in, by what stands at OUTBOUND_PUBLIC_URL. */
const DEAD_ENDS: [name: string, respond: ((request: Request) => Response) | null, reason: RegExp][] = [
  ["where nothing listens", null, /No connection/],
  [
    "of a proxy without the API behind it",
    () => new Response("Bad gateway", { status: 502 }),
    /responded 502/,
  ],
  ["of another deployment", () => Response.json({ success: true }), /another database/],
  ["that leads elsewhere", (request) => Response.redirect(`${request.url}/there`, 301), /responded 301/],
];

for (const [name, respond, reason] of DEAD_ENDS) {
  Deno.test(`nothing is sent again while OUTBOUND_PUBLIC_URL is an address ${name}, and that is logged once`, () =>
    withDispatching(async (t) => {
      await t.sandbox.configure({ webhooks: false });
      const id = await sendIntoTheUnknown(t, { taken: true });
      await forgetSignals(t);
      const { url, close } = serve(respond);
      const { services, errors } = dispatcherWith(t, { OUTBOUND_PUBLIC_URL: url });
      try {
        await t.running(async () => {
          await eventually(() => assert.equal(errors.length, 1, "the probe has not failed"));
          for (let window = 0; window < 2; window++) {
            await t.later(SILENCE_S);
            await eventually(async () => assert.equal(await isWaiting(t, id), true));
          }
          await eventually(() => assert.equal(errors.length, 2));
        }, services);
      } finally {
        await close();
      }

      assert.deepEqual([...(await t.taken()).values()], [1]);
      assert.equal(errors.length, 2);
      const [unreachable, silent] = errors;
      assert.match(unreachable!.reason, reason);
      assert.deepEqual([silent!.waba_id, silent!.messages], [t.sender.waba_id, 1]);
    }));
}

Deno.test("nothing is sent again while the platform's events are refused for a secret that was changed", () =>
  withDispatching(async (t) => {
    const id = await sendIntoTheUnknown(t, { taken: true });
    await eventually(async () => {
      const [row] = await t
        .sql`select refused_at from outbound.account_signals where waba_id = ${t.sender.waba_id}`;
      assert.ok(row, "no refusal was recorded");
    });
    const { services, errors } = dispatcherWith(t, {});

    await t.running(async () => {
      await eventually(async () => assert.equal(await cameBackAfterAttempt(t), true));
      await t.later(SILENCE_S);
      await eventually(() => assert.equal(errors.length, 1));
    }, services);

    assert.deepEqual(await statusesOf(t.sql, [id]), ["unconfirmed"]);
    assert.match(errors[0]!.check, /WHATSAPP_APP_SECRET/);
    assert.deepEqual([...(await t.taken()).values()], [1]);
  }, { WHATSAPP_APP_SECRET: "a secret that is not the platform's" }));

Deno.test("without OUTBOUND_PUBLIC_URL an event of the account shows that its others would have come", () =>
  withDispatching(async (t) => {
    await t.sandbox.configure({ webhooks: false });
    const id = await sendIntoTheUnknown(t, { taken: false });
    await forgetSignals(t);
    const { services, errors } = dispatcherWith(t, { OUTBOUND_PUBLIC_URL: undefined });
    await t.later(SILENCE_S);
    await t.running(() => eventually(() => assert.equal(errors.length, 1)), services);
    assert.match(errors[0]!.check, /without OUTBOUND_PUBLIC_URL here, only events/);
    assert.deepEqual(await statusesOf(t.sql, [id]), ["unconfirmed"]);

    await t.sandbox.configure({ webhooks: true });
    const other = await t.enqueue(1);
    await t.running(async () => {
      await eventually(async () => assert.deepEqual(await statusesOf(t.sql, other.ids), ["read"]));
    }, services);
    await t.later(SILENCE_S);
    await t.running(async () => {
      await eventually(async () => assert.deepEqual(await statusesOf(t.sql, [id]), ["read"]));
    }, services);

    assert.deepEqual([...(await t.taken()).values()], [1, 1]);
  }));

/** As if no dispatcher had probed yet. */
async function forgetSignals({ sql }: Dispatching): Promise<void> {
  await sql`delete from outbound.account_signals`;
  await sql`update outbound.webhook_probe
    set nonce = null, begun_at = '-infinity', returned_at = '-infinity', failed_at = '-infinity'`;
}

/** A server on a free port; none, at a port where nothing listens, without `respond`. */
function serve(respond: ((request: Request) => Response) | null): { url: string; close(): Promise<void> } {
  if (respond === null) return { url: "http://127.0.0.1:9", close: () => Promise.resolve() };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, respond);
  return { url: `http://127.0.0.1:${server.addr.port}`, close: () => closeServer(server) };
}
