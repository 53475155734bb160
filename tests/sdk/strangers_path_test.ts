import assert from "node:assert/strict";
import {
  getTemplateComponents,
  listApiKeys,
  listCampaignFailures,
  listCampaignRecipients,
  listCompanies,
  listSenders,
  listTemplates,
  logIn,
  Outbound,
  resendCampaign,
} from "../../sdk/typescript/src/mod.ts";
import { withClients } from "./with_clients.ts";

/** Several requests of the client, the last one not full. */
const CONTACTS = 350;
/** The sandbox's endings of numbers that are not on WhatsApp, and of those that get no message for now. */
const UNKNOWN = "0000";
const WITHHELD = "0001";

Deno.test("a stranger's path with the client alone: log in, send 350, wait, read failures, resend", () =>
  withClients(async ({ baseUrl, owner, whileDispatching, sandbox }) => {
    const { client: anonymous } = new Outbound({ baseUrl });
    const { email, password } = owner;
    const session = await logIn({
      client: anonymous,
      query: { grant_type: "password" },
      body: { email, password },
    });
    const member = new Outbound({ baseUrl, token: session.access_token });
    const { companies } = await listCompanies({ client: member.client });
    const company_id = companies[0]!.company_id;
    const { validApiKeys } = await listApiKeys({ client: member.client });
    const accessKey = validApiKeys.find((key) => key.company_id === company_id)!.key;
    const outbound = new Outbound({ baseUrl, accessKey });
    const { client } = outbound;
    const { senders } = await listSenders({ client: member.client, path: { company_id } });
    const sender = senders[0]!.number;
    const templates = await listTemplates({ client, query: { phone_number: sender } });
    const { name, language } = templates.find(({ status }) => status === "APPROVED")!;
    const { components } = await getTemplateComponents({ client, query: { template: name } });
    assert.deepEqual(components, ["body_text_0", "body_text_1"]);

    const sent = await outbound.sendCampaign({
      name_template: name,
      language_template: language,
      recipient_id: sender,
      notification_type: "utility",
      campaign_name: "Autumn",
      components_push: { body_text_0: "{{name}}", body_text_1: "A-1" },
    }, people());
    assert.deepEqual([sent.total, sent.processed, sent.failed], [CONTACTS, CONTACTS, 0]);

    await whileDispatching(async () => {
      const campaign = await outbound.waitForCampaign(sent.campaignId, {
        until: ({ status, failed }) => status === "completed" && failed === 2,
        timeoutMs: 240_000,
      });
      assert.equal(campaign.sent, CONTACTS - 2);
    });
    const path = { company_id: "mine", campaign_id: sent.campaignId };
    const { failures } = await listCampaignFailures({ client, path });
    const failed = [];
    const recipients = member.pages(listCampaignRecipients, {
      path: { company_id, campaign_id: sent.campaignId },
      query: { status: "failed" },
    });
    for await (const { number, code } of recipients) failed.push([number, code]);
    const resent = await resendCampaign({ client, path });

    assert.deepEqual(failures.map(({ count }) => count), [1, 1]);
    assert.deepEqual(failed.map(([number]) => number!.slice(-4)).sort(), [UNKNOWN, WITHHELD]);
    assert.equal(resent.processed, 1);
    const messages = await sandbox.messages({ limit: String(2 * CONTACTS) });
    assert.equal(new Set(messages.map(({ to }) => to)).size, messages.length, "no recipient got it twice");
  }));

/** Two of them cannot be reached; every other number is delivered to. */
function* people() {
  for (let index = 0; index < CONTACTS; index++) {
    const ending = index === 140 ? UNKNOWN : index === 270 ? WITHHELD : "9999";
    yield { number: `346${String(index).padStart(5, "0")}${ending}`, name: `Ana ${index}` };
  }
}
