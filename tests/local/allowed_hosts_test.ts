import assert from "node:assert/strict";
import { type IncomingMessage, request } from "node:http";
import { once } from "node:events";
import { createHostCheck, readLocalHosts } from "../../local/allowed_hosts.ts";
import { startSandbox } from "../../local/sandbox/start.ts";
import { startWidgetHost } from "../../local/widget_host/start.ts";
import { withAuthServer } from "./auth/auth_fixture.ts";
import { withTempFolder } from "../setup/temp_folder.ts";

/** The status of a request under the name `host`, which fetch would not send. */
async function statusUnder(host: string, url: string, headers: Record<string, string> = {}): Promise<number> {
  const asked = request(url, { headers: { ...headers, host } });
  asked.end();
  const answered = await Promise.race([once(asked, "response"), once(asked, "upgrade")]);
  const [response] = answered as [IncomingMessage];
  response.destroy();
  return response.statusCode!;
}

Deno.test("createHostCheck() allows this machine's names with any port, and those it is given", () => {
  const isAllowed = createHostCheck(readLocalHosts("devbox.test, Host.Docker.Internal"));
  const good = [
    "127.0.0.1",
    "127.0.0.1:54324",
    "LOCALHOST:1",
    "[::1]:80",
    "devbox.test:9",
    "host.docker.internal",
  ];
  const bad = [
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example:80",
    "evil.example:127.0.0.1",
    "",
    null,
  ];

  for (const host of good) assert.equal(isAllowed(host), true, host);
  for (const host of bad) assert.equal(isAllowed(host), false, String(host));
});

Deno.test("the sandbox responds under this machine's names and OUTBOUND_LOCAL_HOSTS only", async () => {
  const sandbox = await startSandbox({
    ...{ port: 0, webhookUrl: null, appSecret: "app-secret", accounts: [] },
    hosts: ["devbox.test"],
  });
  try {
    const hosts = ["127.0.0.1", "localhost:1", "devbox.test", "evil.example"];
    const page = await Promise.all(hosts.map((host) => statusUnder(host, sandbox.url)));
    const upgrade = { connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
    const socket = await statusUnder("evil.example", `${sandbox.url}/v1/convai/conversation`, upgrade);

    assert.deepEqual([page, socket], [[200, 200, 200, 421], 421]);
  } finally {
    await sandbox.close();
  }
});

Deno.test("the widget host responds under this machine's names only", () =>
  withTempFolder(async (folder) => {
    const demo = {
      ...{ publishableKey: "pk", chatWidgetId: "c", voiceWidgetId: "v" },
      console: { companyUrl: "http://127.0.0.1:9/", email: "ana@shop.test" },
    };
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    listener.close();
    const host = await startWidgetHost({
      ...{
        port,
        demo,
        directory: `${folder}/widget`,
        target: { apiUrl: "http://127.0.0.1:9/functions/v1", platformUrls: [] },
      },
      onError: () => {},
    });
    try {
      const url = `http://127.0.0.1:${port}/`;
      const statuses = [await statusUnder("localhost", url), await statusUnder("evil.example", url)];

      assert.deepEqual(statuses, [200, 421]);
    } finally {
      await host.close();
    }
  }));

Deno.test("the auth server responds under this machine's names only", () =>
  withAuthServer(async ({ url }) => {
    const health = `${url}/auth/v1/health`;
    const statuses = [await statusUnder("localhost", health), await statusUnder("evil.example", health)];

    assert.deepEqual([statuses[0] !== 421, statuses[1]], [true, 421]);
  }));
