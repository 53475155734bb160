import assert from "node:assert/strict";
import { signVoiceWebhook } from "../../../local/sandbox/voice/voice_webhook_sender.ts";
import { signWebhook } from "../../../local/sandbox/webhooks/webhook_sender.ts";
import { insertCompany, insertKey, insertMember } from "../../setup/fixtures/fixtures.ts";
import { BASE_PATH, type JsonObject } from "../../setup/http/http.ts";
import type { TestUser } from "../../setup/stack/login.ts";
import { readDocument, TEST_ENV } from "../../setup/stack/services.ts";
import { VOICE_WEBHOOK_SECRET } from "../../setup/stack/sandbox.ts";
import { insertPublishableKey, insertWidget } from "../../setup/fixtures/widgets.ts";
import { type Manage, withManage } from "../../manage/with_manage.ts";
import { withVoicePlatforms } from "../voice_platforms.ts";

interface Operation {
  id: string;
  method: string;
  path: string;
  security: Record<string, never[]>[];
  parameters: { name: string; in: string; required?: boolean; example: unknown }[];
  body: { type: string; text: string } | undefined;
}

/** Makes the value of a credential for a body; most do not depend on it. */
type Credential = (body: Uint8Array) => string | Promise<string>;

interface Caller extends Manage {
  /** A user who can log in. */
  login: TestUser;
  credentials: Record<string, Credential>;
  /** The values of parameters that have to lead somewhere, by operation or for all. */
  values(operation: string): Record<string, string>;
}

Deno.test("every operation takes exactly the credentials that the document names", async (test) => {
  await withCallers(async (t) => {
    const document = await readDocument(t.app) as JsonObject;
    const { securitySchemes } = document.components;
    assert.deepEqual(Object.keys(t.credentials).sort(), Object.keys(securitySchemes).sort());
    for (const operation of operationsOf(document)) {
      await test.step(operation.id, async () => {
        const alone = operation.security.filter((way) => Object.keys(way).length === 1);
        const named = alone.flatMap((way) => Object.keys(way));

        const open = await isAccepted(t, operation);
        const accepted = [];
        for (const [scheme, credential] of Object.entries(t.credentials)) {
          if (await isAccepted(t, operation, { ...securitySchemes[scheme], credential })) {
            accepted.push(scheme);
          }
        }

        const isOpen = operation.security.length === 0;
        assert.equal(open, isOpen, "without credentials");
        assert.deepEqual(accepted.sort(), (isOpen ? Object.keys(t.credentials) : named).sort());
      });
    }
  });
});

Deno.test("every security scheme of the document is used by an operation", () =>
  withManage(async ({ app }) => {
    const document = await readDocument(app) as JsonObject;
    const used = operationsOf(document).flatMap(({ security }) =>
      security.flatMap((way) => Object.keys(way))
    );

    assert.deepEqual(Object.keys(document.components.securitySchemes).sort(), [...new Set(used)].sort());
  }));

function operationsOf(document: JsonObject): Operation[] {
  return Object.entries<JsonObject>(document.paths).flatMap(([path, methods]) =>
    Object.entries<JsonObject>(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      security: operation.security,
      parameters: operation.parameters ?? [],
      body: exampleOf(operation.requestBody?.content),
    }))
  );
}

/** The example of a body, in the first of its forms. */
function exampleOf(content: JsonObject | undefined): Operation["body"] {
  if (content === undefined) return undefined;
  const [[type, { example }]] = Object.entries<JsonObject>(content) as [[string, JsonObject]];
  return { type, text: type === "application/json" ? JSON.stringify(example) : example };
}

interface Presented {
  type: "http" | "apiKey";
  in?: "query" | "header";
  name?: string;
  credential: Credential;
}

/** Sends the example of an operation, with its required parameters and one credential at most. */
async function isAccepted(t: Caller, operation: Operation, presented?: Presented): Promise<boolean> {
  const body = operation.body && { ...operation.body };
  const own = OWN_BODIES[operation.id];
  if (body && own) body.text = JSON.stringify(await own(t));
  const bytes = new TextEncoder().encode(body?.text ?? "");
  const given = await parametersOf(t, operation, presented, bytes);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(given.path![name]!));
  const query = new URLSearchParams(given.query);
  const response = await t.app.fetch(
    new Request(`http://localhost${BASE_PATH}${path}?${query}`, {
      method: operation.method,
      headers: { ...given.header, ...body && { "content-type": body.type } },
      ...body && { body: bytes },
    }),
  );
  const isJson = response.headers.get("content-type")?.includes("json");
  const answer = isJson ? await response.json() : await response.body?.cancel();
  const isForMembers = response.status === 403 && answer?.message?.startsWith("No access key may do this");
  return !isForMembers && !isRefusal(operation.id, response.status, answer);
}

/** Bodies that have to be of a user, by operation. */
const OWN_BODIES: Record<string, (t: Caller) => object | Promise<object>> = {
  logIn: ({ login }) => login,
  refreshSession: async (t) => ({ refresh_token: (await openSession(t)).refresh_token }),
  // The present one, which is refused, so that the user can go on logging in.
  setPassword: ({ login: { password } }) => ({ password }),
};

async function openSession({ http, login }: Pick<Caller, "http" | "login">): Promise<JsonObject> {
  return (await http.post("/auth", login, { query: { grant_type: "password" } })).body;
}

async function parametersOf(
  t: Caller,
  { id, parameters }: Operation,
  presented: Presented | undefined,
  body: Uint8Array,
): Promise<Record<string, Record<string, string>>> {
  const given: Record<string, Record<string, string>> = { path: {}, query: {}, header: {} };
  const values = t.values(id);
  for (const parameter of parameters) {
    if (CREDENTIALS.has(parameter.name) && parameter.in !== "path") continue;
    const value = values[parameter.name];
    if (value === undefined && !parameter.required) continue;
    given[parameter.in]![parameter.name] = value ?? String(parameter.example);
  }
  if (presented === undefined) return given;
  const value = await presented.credential(body);
  if (presented.type === "http") given.header!.authorization = `Bearer ${value}`;
  else given[presented.in!]![presented.name!] = value;
  return given;
}

/** Parameters that are credentials. */
const CREDENTIALS = new Set([
  "access_key",
  "customer_id",
  "hub.verify_token",
  "X-Hub-Signature-256",
  "ElevenLabs-Signature",
]);

/** The contract gives some operations other statuses for credentials that do not count. */
function isRefusal(operation: string, status: number, body: JsonObject | undefined): boolean {
  if (operation === "getCampaignStatus") return /access_key/.test(body?.message ?? "");
  if (operation === "getWidgetPage") return status === 400 || status === 403;
  if (operation === "verifyWhatsappWebhook") return status === 403;
  return status === 401;
}

/** Calls `fn` with a good credential of each kind. */
async function withCallers(fn: (t: Caller) => Promise<void>): Promise<void> {
  await withVoicePlatforms((platforms) =>
    withManage(async (t) => {
      const { sql, http, company } = t;
      // The company of the keys is another one: its keys stay as they are, whatever a member does.
      const owner = await insertCompany(sql);
      const { key } = await insertKey(sql, owner.id);
      const publishable = await insertPublishableKey(sql, owner.id);
      const chat = await insertWidget(sql, owner.id);
      const voice = await insertWidget(sql, owner.id, { kind: "voice" });
      const opened = await http.post("/widget/conversations", { user_id: crypto.randomUUID() }, {
        query: { access_key: publishable, widget_id: chat.id },
      });
      const session = await http.get("/voice-widget/signed-url", {
        query: { access_key: publishable, id_widget: voice.id },
      });
      const login = await t.createUser();
      await insertMember(sql, company.id, login.id);
      const credentials: Record<string, Credential> = {
        accessKey: () => key,
        accessKeyInQuery: () => key,
        publishableKey: () => publishable,
        customerId: () => publishable,
        // A new one for each: an operation ends its session.
        userToken: async () => (await openSession({ http, login })).access_token,
        visitorToken: () => opened.body.visitor_token,
        sessionToken: () => session.body.session_token,
        dispatchSecret: () => TEST_ENV.OUTBOUND_DISPATCH_SECRET,
        whatsappVerifyToken: () => TEST_ENV.WHATSAPP_VERIFY_TOKEN,
        whatsappSignature: (body) => signWebhook(TEST_ENV.WHATSAPP_APP_SECRET, body),
        voiceSignature: (body) => signVoiceWebhook(VOICE_WEBHOOK_SECRET, body, Math.floor(Date.now() / 1000)),
      };
      const values = (operation: string) => ({
        company_id: company.id,
        conversation_id: opened.body.conversation_id,
        widget_id: chat.id,
        ...["getVoiceWidget", "startVoiceSession"].includes(operation) && { id_widget: voice.id },
        ...operation === "getVoiceTranscript" && { conversation_id: "conv_known" },
        ...operation === "getWidgetPageByPath" && { customer_id: publishable },
      });
      await fn({ ...t, credentials, login, values });
    }, { env: platforms.env })
  );
}
