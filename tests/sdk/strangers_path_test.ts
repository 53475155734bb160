import assert from "node:assert/strict";
import { Outbound } from "../../sdk/typescript/src/mod.ts";
import { withClients } from "./with_clients.ts";

/** Several requests of the client, the last one not full. */
const CONTACTS = 350;
/** The sandbox's endings of numbers that are not on WhatsApp, and of those that get no message for now. */
const UNKNOWN = "0000";
const WITHHELD = "0001";

Deno.test("a stranger's path with the client alone: log in, send 350, wait, read failures, resend", () =>
  withClients(async ({ baseUrl, owner, whileDispatching, sandbox }) => {
    const { email, password } = owner;
    const session = await new Outbound({ baseUrl }).access.logIn({ email, password });
    const member = new Outbound({ baseUrl, token: session.access_token });
    const { companies } = await member.companies.list();
    const companyId = companies[0]!.company_id;
    const { validApiKeys } = await member.access.listApiKeys();
    const accessKey = validApiKeys.find((key) => key.company_id === companyId)!.key;
    const outbound = new Outbound({ baseUrl, accessKey });
    const { senders } = await member.senders.list({ companyId });
    const sender = senders[0]!.number;
    const templates = await outbound.templates.listTemplates({ phone_number: sender });
    const { name, language } = templates.find(({ status }) => status === "APPROVED")!;
    const { components } = await outbound.templates.getTemplateComponents({ template: name });
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
    const { failures } = await outbound.campaigns.listFailures(sent.campaignId);
    const failed = [];
    const recipients = member.campaigns.listRecipients(sent.campaignId, { companyId, status: "failed" });
    for await (const { number, code } of recipients) failed.push([number, code]);
    const resent = await outbound.campaigns.resend(sent.campaignId);

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
