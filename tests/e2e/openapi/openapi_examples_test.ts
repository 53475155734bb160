import assert from "node:assert/strict";
import { cellOfCompany } from "../../../supabase/functions/_shared/cells.ts";
import { servicesOfCell } from "../../../supabase/functions/_shared/services.ts";
import {
  insertAgent,
  insertCompany,
  insertKey,
  insertSender,
  insertTemplate,
  insertVoiceSender,
} from "../../setup/fixtures/fixtures.ts";
import type { JsonObject, TestRequestOptions } from "../../setup/http/http.ts";
import { checkBody, checkExample, checkParameter } from "../../setup/http/openapi.ts";
import { readDocument, withServices } from "../../setup/stack/services.ts";
import { openChat } from "../widgets/open_chat.ts";
import { type VoiceWidgetApi, withVoiceWidget } from "../widgets/with_voice_widget.ts";

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  path: string;
  method: string;
  parameters?: { name: string }[];
  requestBody?: { content: Record<string, { example?: JsonObject }> };
  responses: Record<string, { content?: Record<string, { example?: unknown }> }>;
}

/** They need a place for files; tests/e2e/widgets/chat_files_test.ts sends them. */
const OF_FILES = ["sendFile"];

/** Their examples are bodies that only a platform can sign. */
const FROM_PLATFORMS = ["receiveWhatsappEvents", "receiveVoiceEvents"];
/** Their examples belong to a session or a user that only exists once; other tests send such bodies. */
const OF_ONE_SESSION = [
  "logIn",
  "refreshSession",
  "recoverAccount",
  "setPassword",
  "decideAuthorization",
  "enrollFactor",
  "verifyFactor",
  "sendFeedback",
  "requestHandoff",
  "endHandoff",
  "joinHandoff",
];

function operationsOf(document: JsonObject): Operation[] {
  return Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method }))
  );
}

Deno.test("GET /openapi.json names every operation by a verb and a noun, once, in a section it describes", () =>
  withServices(async ({ app }) => {
    const document: JsonObject = await readDocument(app);
    const operations = operationsOf(document);

    const names = operations.map(({ operationId }) => operationId);
    assert.deepEqual(names.filter((name) => !/^[a-z]+([A-Z][a-z]+)+$/.test(name)), []);
    assert.equal(new Set(names).size, names.length);
    const sections = document.tags.map(({ name }: { name: string }) => name);
    assert.deepEqual(operations.filter(({ tags }) => tags.length !== 1 || !sections.includes(tags[0])), []);
    assert.deepEqual(operations.filter(({ summary }) => !/^[A-Z]/.test(summary)), []);
    assert.equal(sections[0], "Notifications");
    assert.equal(sections.at(-1), "Platform callbacks");
  }));

Deno.test("GET /openapi.json shows an example of every JSON body, and each fits its schema", () =>
  withServices(async ({ app }) => {
    const document = await readDocument(app);

    const problems = operationsOf(document).flatMap(
      ({ path, method, operationId, requestBody, responses }) => {
        const bodies = [
          { pointer: ["requestBody"], content: requestBody?.content },
          ...Object.entries(responses).map(([status, { content }]) => ({
            pointer: ["responses", status],
            content,
          })),
        ];
        return bodies.flatMap(({ pointer, content }) => {
          if (!content?.["application/json"] || /^getApiDocument/.test(operationId)) return [];
          const problem = checkExample(document, ["paths", path, method, ...pointer]);
          return problem === undefined ? [] : [`${operationId} ${pointer.join(" ")}: ${problem}`];
        });
      },
    );

    assert.deepEqual(problems, []);
  }));

Deno.test("GET /openapi.json shows an example of every parameter, and each fits its schema", () =>
  withServices(async ({ app }) => {
    const document = await readDocument(app);

    const problems = operationsOf(document).flatMap(({ operationId, path, method, parameters = [] }) =>
      parameters.flatMap((parameter, index) => {
        const problem = checkParameter(document, ["paths", path, method, "parameters", String(index)]);
        return problem === undefined ? [] : [`${operationId} ${parameter.name}: ${problem}`];
      })
    );

    assert.deepEqual(problems, []);
  }));

Deno.test("no named schema of GET /openapi.json is null as a whole, or has a default", () =>
  withServices(async ({ app }) => {
    const { components: { schemas } }: JsonObject = await readDocument(app);

    const wrong = Object.entries<JsonObject>(schemas)
      .filter(([, schema]) => [schema.type].flat().includes("null") || schema.default !== undefined);

    assert.deepEqual(wrong.map(([name]) => name), []);
  }));

Deno.test("POST /notify and POST /notify/voice take one contact or many, and not both", () =>
  withServices(async ({ app }) => {
    const document = await readDocument(app);
    for (const operation of operationsOf(document).filter(({ path }) => /^\/notify(\/voice)?$/.test(path))) {
      const { path } = operation;
      const example = operation.requestBody!.content["application/json"]!.example!;
      const { contact, ...rest } = example;
      const fits = (body: JsonObject) =>
        checkBody(document, ["paths", path, "post", "requestBody"], body) === undefined;

      assert.deepEqual(
        [{ ...rest, contact }, { ...rest, contacts: [contact] }, rest, { ...example, contacts: [contact] }]
          .map(fits),
        [true, true, false, false],
        path,
      );
      assert.equal(fits({ ...rest, contacts: [] }), false, path);
      assert.equal(fits({ ...rest, contact: { name: "Ana" } }), false, path);
    }
  }));

Deno.test("every example request of GET /openapi.json is accepted as it stands", () =>
  withVoiceWidget(async (api) => {
    const document = await readDocument(api.app);
    const operations = operationsOf(document).filter(({ requestBody }) => requestBody);
    const calls = await prepareCalls(api, operations);

    // Most requests below a company need what their paths name; tests/manage sends each.
    const expected = operations.filter(({ operationId, tags }) =>
      tags[0] !== "Management" || calls[operationId]
    )
      .map(({ operationId }) => operationId)
      .filter((name) => ![...FROM_PLATFORMS, ...OF_ONE_SESSION, ...OF_FILES].includes(name));
    assert.deepEqual(Object.keys(calls).sort(), expected.sort());
    for (const { operationId, method, path, requestBody } of operations) {
      const call = calls[operationId];
      if (!call) continue;
      const { status, body } = await api.http.request<JsonObject>(
        method.toUpperCase(),
        call.path ?? path,
        requestBody!.content["application/json"]!.example,
        call.options,
      );
      assert.ok(status < 300, `${operationId}: ${status} ${JSON.stringify(body)}`);
    }
  }));

/** Makes what the examples name, and says who sends each. */
async function prepareCalls(
  api: VoiceWidgetApi,
  operations: Operation[],
): Promise<Record<string, { path?: string; options: TestRequestOptions }>> {
  const { sql, company, key, widget } = api;
  const exampleOf = (name: string) =>
    operations.find(({ operationId }) => operationId === name)!.requestBody!.content["application/json"]!
      .example!;
  const [message, phoneCall] = [exampleOf("sendNotification"), exampleOf("placeCall")];
  const sender = await insertSender(sql, company.id, { number: message.recipient_id });
  const { name_template: name, language_template: language } = message;
  await insertTemplate(sql, sender, { name, language });
  await insertVoiceSender(sql, company.id, { number: phoneCall.recipient_id });
  await insertAgent(sql, company.id, { platform_agent_id: phoneCall.agent_id });
  const { company_id: templatesOwner, waba_id } = exampleOf("createTemplate");
  const { sql: cell } = servicesOfCell(api.services, cellOfCompany(templatesOwner));
  const owner = await insertCompany(cell, { id: templatesOwner });
  const ownersKey = await insertKey(cell, owner.id);
  await api.sandbox.addAccount(await insertSender(cell, owner.id, { waba_id }), []);
  // A person is replied to who wrote before.
  await sql`insert into outbound.contact_messages (company_id, id, sender_id, direction, number, kind, status, at)
    values (${company.id}, gen_random_uuid(), ${sender.id}, 'in', ${exampleOf("sendReply").number}, 'text',
      'received', now())`;
  const { body: { inquiry_set_id: campaign_id } } = await api.notify();
  const chat = await openChat(api, {}, { follow_up: {} });
  await chat.say("Hello");
  const ofVisitor = (what: string) => ({
    path: `/widget/conversations/${chat.id}/${what}`,
    options: chat.asVisitor,
  });
  const session = await api.session();
  const withKey = { query: { access_key: key.key } };
  const mine = (path: string) => ({ path: `/manage/companies/mine${path}`, options: withKey });
  return {
    sendNotification: { options: withKey },
    placeCall: { options: withKey },
    resendCampaign: mine(`/campaigns/${campaign_id}/resend`),
    addSuppressions: mine("/contacts/suppressions"),
    liftSuppressions: mine("/contacts/suppressions"),
    addConsents: mine("/contacts/consents"),
    sendReply: mine("/contacts/replies"),
    erasePerson: mine("/contacts/erase"),
    createTemplate: { options: { query: { access_key: ownersKey.key } } },
    openConversation: { options: { query: { ...withKey.query, widget_id: chat.widget.id } } },
    sendMessage: ofVisitor("messages"),
    setTyping: ofVisitor("typing"),
    markConversationRead: ofVisitor("read"),
    setVisitorEmail: ofVisitor("email"),
    rateConversation: ofVisitor("rating"),
    useTools: { options: { headers: { authorization: `Bearer ${key.key}` } } },
    searchKnowledge: { options: { ...session, query: { id_widget: widget.id } } },
  };
}
