import assert from "node:assert/strict";
import type { Address } from "../../../../supabase/functions/_shared/values/address.ts";
import { ConnectionPool } from "../../../../supabase/functions/_shared/gateways/http1/connection_pool.ts";
import type { SendOutcome } from "../../../../supabase/functions/_shared/gateways/send_outcome.ts";
import { sendTemplate } from "../../../../supabase/functions/_shared/gateways/whatsapp/send_template.ts";
import { jsonResponse, pause, send, withConnectionServer } from "../http1/with_connections.ts";

const MESSAGES = 40;

/** Calls `use` with a way to send, through kept connections, to a platform that responds by `respond`. */
async function withPlatform(
  respond: (connection: Deno.Conn, request: string) => Promise<void>,
  use: (sendTo: (to: Address) => Promise<SendOutcome>, connections: string[][]) => Promise<void>,
): Promise<void> {
  const pool = new ConnectionPool();
  await withConnectionServer(async (connection, next) => {
    for (let request; (request = await next()) !== undefined;) await respond(connection, request);
  }, ({ url: apiUrl, requests }) => {
    const template = { name: "order_ready", language: "en_US", components: [] };
    const message = { phoneNumberId: "990011223344556", token: "t", reference: "r", template };
    return use((to) =>
      sendTemplate({ apiUrl, apiVersion: "v25.0", connections: pool }, { ...message, to }, {
        timeoutMs: 10_000,
      }), requests);
  });
  await pool.close();
}

/** The platform's response to a request: the message's id shows whose it is. */
function acceptedBy(request: string): string {
  const { to, recipient } = JSON.parse(request.slice(request.indexOf("{")));
  const contact = to ? { input: to, wa_id: to.slice(1) } : { input: recipient, user_id: recipient };
  return jsonResponse({ contacts: [contact], messages: [{ id: `wamid.${to?.slice(1) ?? recipient}` }] });
}

const ADDRESSES: [kind: string, address: (count: number) => Address][] = [
  ["numbers", (count) => ({ number: String(34600111000 + count), user_id: null })],
  ["user ids", (count) => ({ number: null, user_id: `ES.${1000 + count}` })],
];

for (const [kind, addressOf] of ADDRESSES) {
  for (const laterMs of [0, 1, 3]) {
    Deno.test(`A response repeated ${laterMs} ms later counts for no other message to ${kind}`, () =>
      withPlatform(async (connection, request) => {
        await send(connection, acceptedBy(request));
        await pause(laterMs);
        await send(connection, acceptedBy(request));
      }, async (sendTo) => {
        const unknown = new Set<string>();
        for (let count = 0; count < MESSAGES; count++) {
          const to = addressOf(count);

          const outcome = await sendTo(to);

          if (outcome.kind === "unknown") unknown.add(outcome.reason);
          else assert.equal(outcome.kind, "accepted");
          if (outcome.kind !== "accepted") continue;
          assert.equal(outcome.platformMessageId, `wamid.${to.number ?? to.user_id}`);
          assert.equal(outcome.platformNumber, to.number);
        }
        const [belongsToAnother, broke] = [
          "The platform's response belongs to another request",
          "The connection to the platform broke before it responded",
        ];
        assert.deepEqual(
          [...unknown].filter((reason) => reason !== belongsToAnother && reason !== broke),
          [],
        );
      }));
  }
}

Deno.test("The connection of a response that belongs to another request is not used again", () =>
  withPlatform(async (connection) => {
    await send(connection, jsonResponse({ contacts: [{ input: "+34600111333" }], messages: [{ id: "w" }] }));
  }, async (sendTo, connections) => {
    for (let count = 0; count < 2; count++) {
      assert.deepEqual(await sendTo({ number: "34600111222", user_id: null }), {
        kind: "unknown",
        httpStatus: 200,
        reason: "The platform's response belongs to another request",
      });
    }
    assert.deepEqual(connections.map((requests) => requests.length), [1, 1]);
  }));

Deno.test("A number is the same in any punctuation, and one that is not repeated teaches no spelling", async () => {
  const contacts = [
    [{ input: "+52 (55) 1234-5678", wa_id: "5215512345678" }, "5215512345678"],
    [{ wa_id: "5215512345678" }, null],
  ] as const;
  for (const [contact, platformNumber] of contacts) {
    await withPlatform(
      (connection) => send(connection, jsonResponse({ contacts: [contact], messages: [{ id: "w" }] })),
      async (sendTo) => {
        const outcome = await sendTo({ number: "525512345678", user_id: null });

        assert.deepEqual(outcome, {
          kind: "accepted",
          platformMessageId: "w",
          httpStatus: 200,
          platformNumber,
        });
      },
    );
  }
});
