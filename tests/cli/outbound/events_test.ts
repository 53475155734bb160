import assert from "node:assert/strict";
import { type Clients, contacts, withClients } from "../../sdk/with_clients.ts";
import { runOutbound } from "./run_outbound.ts";

/** Ends the program, which goes on without end. */
class Enough extends Error {}

async function envOf({ baseUrl, company, owner, logIn }: Clients): Promise<Record<string, string>> {
  const OUTBOUND_TOKEN = await logIn(owner);
  return { OUTBOUND_BASE_URL: baseUrl, OUTBOUND_COMPANY_ID: company.id, OUTBOUND_TOKEN };
}

function send({ keyClient, notification }: Clients, campaign_name: string): Promise<unknown> {
  return keyClient().sendCampaign({ ...notification, campaign_name }, contacts(1));
}

/** Follows the events until one is printed that `isLast` is true of, and returns it. */
async function follow(
  args: string[],
  env: Record<string, string>,
  isLast: (text: string) => boolean,
): Promise<string> {
  let last = "";
  const following = runOutbound(["events", ...args], env, {
    onPrint(text) {
      if (!isLast(text)) return;
      last = text;
      throw new Enough();
    },
  });
  await assert.rejects(following, Enough);
  return last;
}

Deno.test("events prints a line per event, with its plain fields", () =>
  withClients(async (t) => {
    let sending: Promise<unknown> | undefined;

    const line = await follow([], await envOf(t), (text) => {
      if (text.startsWith("ready ")) sending = send(t, "Autumn");
      return text.startsWith("campaign ") && text.includes("campaign_name=Autumn");
    });
    await sending;

    assert.match(line, /^campaign {6}[^\n]*\bstatus=\w+[^\n]*\n$/);
    assert.doesNotMatch(line, /object Object|=null/);
  }));

Deno.test("events --json --last-event-id goes on where another program ended", () =>
  withClients(async (t) => {
    const env = await envOf(t);
    const ready = JSON.parse(await follow(["--json"], env, (text) => JSON.parse(text).type === "ready"));
    await send(t, "Meanwhile");

    const isCampaign = (text: string) => JSON.parse(text).type === "campaign";
    const next = JSON.parse(await follow(["--json", "--last-event-id", ready.id], env, isCampaign));
    let sending: Promise<unknown> | undefined;
    const fresh = JSON.parse(
      await follow(["--json"], env, (text) => {
        if (JSON.parse(text).type === "ready") sending = send(t, "Later");
        return isCampaign(text);
      }),
    );
    await sending;

    assert.deepEqual([next, fresh].map(({ data }) => data.campaign_name), ["Meanwhile", "Later"]);
  }));

Deno.test("events needs a company, and ends with the service's refusal", () =>
  withClients(async (t) => {
    const { OUTBOUND_COMPANY_ID: _, ...env } = await envOf(t);

    const without = await runOutbound(["events"], env);
    const foreign = await runOutbound(["events", "--company-id", crypto.randomUUID()], env);

    assert.deepEqual([without.code, without.stdout], [2, ""]);
    assert.match(without.stderr, /--company-id/);
    assert.deepEqual([foreign.code, foreign.stdout], [1, ""]);
    assert.match(foreign.stderr, /\(not_found, /);
  }));
