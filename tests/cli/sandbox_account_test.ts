import assert from "node:assert/strict";
import { makeSandboxAccount } from "../../cli/sender/sandbox_account.ts";
import { startSandbox } from "../../local/sandbox/start.ts";

const DEMO = {
  wabaId: "100000000000001",
  token: "demo-token",
  numbers: [{ phoneNumberId: "200000000000001", displayNumber: "15550100100", verifiedName: "Demo" }],
  templates: [],
};

async function withSandbox(
  accounts: (typeof DEMO)[],
  fn: (sandboxUrl: string) => Promise<void>,
): Promise<void> {
  const sandbox = await startSandbox({ port: 0, webhookUrl: null, appSecret: "app-secret", accounts });
  try {
    await fn(sandbox.url);
  } finally {
    await sandbox.close();
  }
}

Deno.test("makeSandboxAccount() makes an account whose token opens its number", () =>
  withSandbox([DEMO], async (sandboxUrl) => {
    const account = await makeSandboxAccount({ sandboxUrl, number: "15550001111" });

    const response = await fetch(`${sandboxUrl}/${account!.platformId}?fields=id`, {
      headers: { authorization: `Bearer ${account!.token}` },
    });
    assert.deepEqual([response.status, (await response.json()).id], [200, account!.platformId]);
    assert.notEqual(account!.wabaId, DEMO.wabaId);
  }));

Deno.test("makeSandboxAccount() keeps the ids it is given, and replaces no account", () =>
  withSandbox([DEMO], async (sandboxUrl) => {
    const ids = { wabaId: "1022", platformId: "1065" };
    const account = await makeSandboxAccount({ sandboxUrl, number: "15550001111", ...ids });
    const again = (change: Partial<typeof ids>) =>
      makeSandboxAccount({ sandboxUrl, number: "15550002222", ...change });

    assert.deepEqual({ ...account, token: undefined }, { ...ids, token: undefined });
    await assert.rejects(again({ wabaId: DEMO.wabaId }), { code: "already_exists" });
    await assert.rejects(again({ platformId: "1065" }), { code: "already_exists", message: /--token/ });
  }));

Deno.test("makeSandboxAccount() says what is wrong", async () => {
  let closed = "";
  await withSandbox([DEMO], async (sandboxUrl) => {
    closed = sandboxUrl;
    await assert.rejects(makeSandboxAccount({ sandboxUrl, number: "+1" }), { code: "bad_value" });
  });
  await assert.rejects(makeSandboxAccount({ sandboxUrl: closed, number: "15550001111" }), {
    code: "platform_error",
    message: /does not respond/,
  });
});

Deno.test("makeSandboxAccount() makes none in a sandbox that simulates calls only", () =>
  withSandbox([], async (sandboxUrl) => {
    assert.equal(await makeSandboxAccount({ sandboxUrl, number: "15550001111" }), undefined);
  }));
