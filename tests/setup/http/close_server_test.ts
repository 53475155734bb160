import assert from "node:assert/strict";
import { closeServer } from "./close_server.ts";

/** A server that responds when `respond` resolves, and a request to it that it has received. */
async function startRequest(respond: Promise<Response>) {
  const received = Promise.withResolvers<void>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    received.resolve();
    return respond;
  });
  const response = fetch(`http://127.0.0.1:${server.addr.port}`);
  await received.promise;
  return { server, response };
}

Deno.test("closeServer() waits until a response is sent", async () => {
  const respond = Promise.withResolvers<Response>();
  const { server, response } = await startRequest(respond.promise);

  const closing = closeServer(server);
  respond.resolve(new Response("late"));

  await closing;
  assert.equal(await (await response).text(), "late");
});

Deno.test({
  name: "closeServer() ends though a response is held back for good",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const { server, response } = await startRequest(new Promise(() => {}));
    void response.catch(() => {});

    await closeServer(server);
  },
});
