import assert from "node:assert/strict";
import { join } from "node:path";
import { closeServer } from "../setup/http/close_server.ts";
import { skipped } from "../setup/skipped.ts";
import { withBrowserPage } from "../browser/browser_page.ts";
import { ROOT, run, withPackedClient } from "./packed_client.ts";
import { withClients } from "./with_clients.ts";

/** Sends, reads, and checks a webhook's signature with the packed client. */
const PROGRAM = `
import process from "node:process";
import { Outbound, OutboundError } from "@outbound/sdk";
import { verifyWebhook } from "@outbound/sdk/webhooks";

const { BASE_URL: baseUrl, ACCESS_KEY: accessKey, NOTIFICATION } = process.env;
const outbound = new Outbound({ baseUrl, accessKey });
const sent = await outbound.sendCampaign(JSON.parse(NOTIFICATION), [{ number: "34600111222", name: "Ana" }]);
const campaign = await outbound.waitForCampaign(sent.campaignId, { until: () => true });
const missing = await outbound.notifications.getCampaignStatus({ campaign_id: "x" }).catch((error) => error);
let unsigned;
try {
  verifyWebhook("{}", {}, "whsec_c2VjcmV0");
} catch (error) {
  unsigned = error;
}
console.log(JSON.stringify([sent.processed, campaign.total, missing instanceof OutboundError, unsigned.code]));
`;

/** Takes the packed client from CommonJS: with import(), and with require() where the runtime says that it can. */
const COMMON_JS = `
const required = process.features.require_module ? require("@outbound/sdk").Outbound : undefined;
import("@outbound/sdk").then(({ Outbound }) => console.log(typeof Outbound, [undefined, Outbound].includes(required)));
`;

/** Runs a program of an npm package, which npx fetches the first time. */
function fromNpm(pinned: string, program: string) {
  return { command: ["npx", "--yes", "--prefer-offline", `--package=${pinned}`, "--", program], args: [] };
}

/** The runtimes, how each is started, and with what it runs a file. */
const RUNTIMES = [
  { name: "Node", command: ["node"], args: [] },
  { name: "Node 24", ...fromNpm("node@24.21.0", "node") },
  {
    name: "Deno",
    command: [Deno.execPath()],
    args: ["run", "-A", "--no-config", "--node-modules-dir=manual"],
  },
  { name: "Bun", ...fromNpm("bun@1.4.5", "bun") },
];

for (const { name, command, args } of RUNTIMES) {
  Deno.test(`the packed client works in a fresh folder in ${name}`, async () => {
    if (!await isThere(command)) return skipped(`the TypeScript client in ${name}`, `no ${name} found`);
    await withPackedClient((folder) =>
      withClients(async ({ baseUrl, key, notification }) => {
        await Deno.writeTextFile(join(folder, "program.mjs"), PROGRAM);
        const env = { BASE_URL: baseUrl, ACCESS_KEY: key.key, NOTIFICATION: JSON.stringify(notification) };

        const [program, ...starting] = [...command, ...args] as [string, ...string[]];
        const output = await run(program, [...starting, "program.mjs"], folder, env);

        assert.deepEqual(JSON.parse(output), [1, 1, true, "invalid_signature"]);
        await Deno.writeTextFile(join(folder, "program.cjs"), COMMON_JS);
        assert.equal(await run(program, [...starting, "program.cjs"], folder), "function true\n");
      })
    );
  });
}

/** Compile-time assertions: `@ts-expect-error` is itself an error above a line without one. */
const TYPES = `
      import { type ChatNotification, type SingleChatNotification } from "@outbound/sdk";
      declare const contact: { number: string };
      declare const notification: {
        name_template: string;
        language_template: string;
        recipient_id: string;
        notification_type: "utility";
        campaign_name: string;
      };
      const { notifications, settings, campaigns } = outbound;

      const single = await notifications.send({ ...notification, contact });
      const id: string = single.inquiry_set_id;
      // @ts-expect-error A single send counts nothing.
      single.total;
      const bulk = await notifications.send({ ...notification, contacts: [contact] });
      const total: number = bulk.total;
      const dry = await notifications.send({ ...notification, contact }, { dry_run: true });
      const rows: number = dry.recipients.length;
      // @ts-expect-error A dry run makes no campaign.
      dry.inquiry_set_id;
      const named: SingleChatNotification = { ...notification, contact };
      (await notifications.send(named)).inquiry_set_id;
      const either = await notifications.send({ ...notification, contact } as ChatNotification);
      // @ts-expect-error It may be any of the three.
      either.inquiry_set_id;
      // @ts-expect-error There is no recipient.
      await notifications.send(notification);
      // @ts-expect-error There is no such type.
      await notifications.send({ ...notification, contact, notification_type: "other" });
      // @ts-expect-error There is no such option.
      await notifications.send({ ...notification, contact }, { dryrun: true });
      // @ts-expect-error Settings are changed with the ETag of what was read.
      await settings.change({ call_gap_s: 60 });
      // @ts-expect-error The campaign is not named.
      await notifications.getCampaignStatus();
      const csv: string = await campaigns.listRecipients(id, { format: "csv" });
      console.log(total, rows, csv);

      const service = new FakeService().on("GET /manage/companies", () => ({ companies: [] }));
      // @ts-expect-error There is no such route.
      service.on("GET /companies", () => ({ companies: [] }));
      // @ts-expect-error It is no response of this route.
      service.on("GET /manage/companies", () => ({ campaigns: [] }));
      // @ts-expect-error There is no such code.
      service.refuse("POST /notify", "rate_limited");
`;

Deno.test("the types of the packed client fit a strict project", () =>
  withPackedClient(async (folder) => {
    const code = `
      import { Outbound, type OutboundError } from "@outbound/sdk";
      import { FakeService } from "@outbound/sdk/testing";
      import { verifyWebhook } from "@outbound/sdk/webhooks";
      const outbound = new Outbound({ baseUrl: "http://127.0.0.1:9", token: "t" });
      for await (const campaign of outbound.campaigns.list({ companyId: "c" })) {
        const name: string = campaign.campaign_name;
        // @ts-expect-error The name is text.
        const wrong: number = campaign.campaign_name;
        console.log(name, wrong);
      }
      export const codeOf = (error: OutboundError): string => error.code;
      const event = verifyWebhook("{}", {}, "whsec_");
      if (event.type === "notification.failed") console.log(event.data.error_code);
      ${TYPES}
    `;
    await Deno.writeTextFile(join(folder, "strict.ts"), code);
    const compiler = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--noEmit"];
    const modules = ["--module", "nodenext", "--target", "es2022", "--lib", "es2023,dom,dom.iterable"];

    await run(
      Deno.execPath(),
      ["run", "-A", "--quiet", "--frozen", join(ROOT, "dev", "tsc.ts"), ...compiler, ...modules, "strict.ts"],
      folder,
    );
  }));

Deno.test("the packed client works on a page: log in, lists, events", async () => {
  const page = servePage();
  try {
    await withClients(async ({ baseUrl, owner, company }) => {
      await withPackedClient(async (folder) => {
        page.folder = join(folder, "node_modules/@outbound/sdk");
        await withBrowserPage({ what: "the TypeScript client in a browser" }, async (browser) => {
          await browser.goto(page.url);
          const result = await browser.evaluate(IN_PAGE, {
            baseUrl,
            email: owner.email,
            password: owner.password,
          });
          assert.deepEqual(result, { companies: [company.id], first: "ready" });
        });
      });
    }, { env: { OUTBOUND_CONSOLE_URL: page.url } });
  } finally {
    await page.close();
  }
});

/** Runs on the page. */
const IN_PAGE = async (login: { baseUrl: string; email: string; password: string }) => {
  const { baseUrl, email, password } = login;
  const path = "/sdk/mod.js";
  const sdk = await import(path);
  const session = await new sdk.Outbound({ baseUrl }).access.logIn({ email, password });
  const outbound = new sdk.Outbound({ baseUrl, token: session.access_token });
  const { companies } = await outbound.companies.list();
  const ids = companies.map((company: { company_id: string }) => company.company_id);
  for await (const { type } of outbound.events({ companyId: ids[0] })) return { companies: ids, first: type };
};

/** An empty page, with the client's modules below `/sdk/`. */
function servePage() {
  const page = { url: "", folder: "", close: () => closeServer(server) };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith("/sdk/")) {
      return new Response('<!doctype html><link rel="icon" href="data:,">', {
        headers: { "Content-Type": "text/html" },
      });
    }
    const text = await Deno.readTextFile(join(page.folder, pathname.slice("/sdk/".length)));
    return new Response(text, { headers: { "Content-Type": "text/javascript" } });
  });
  page.url = `http://127.0.0.1:${server.addr.port}`;
  return page;
}

async function isThere([program, ...args]: string[]): Promise<boolean> {
  try {
    return (await new Deno.Command(program!, { args: [...args, "--version"], stdin: "null" }).output())
      .success;
  } catch {
    return false;
  }
}
