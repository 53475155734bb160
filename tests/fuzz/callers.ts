import postgres from "postgres";
import {
  insertAgent,
  insertCompany,
  insertKey,
  insertMember,
  insertSender,
  insertTemplate,
  insertVoiceSender,
  TEST_SECRETS_KEY,
} from "../setup/fixtures/fixtures.ts";
import { createTestHttp, type JsonObject } from "../setup/http/http.ts";
import type { StackFile } from "../start/run_start.ts";

/** Settings of the stack under test. */
export const STACK_ENV = {
  OUTBOUND_SECRETS_KEY: TEST_SECRETS_KEY,
  OUTBOUND_DISPATCH_SECRET: "fuzz-dispatch-secret",
  WHATSAPP_VERIFY_TOKEN: "fuzz-verify-token",
  OUTBOUND_LOG_LEVEL: "silent",
  // Not called: the pages of widgets only name it.
  OUTBOUND_WIDGET_URL: "http://127.0.0.1:1",
};

/** Far more than a run sends, so that limits do not hide faults. */
const REQUESTS_PER_MINUTE = 1_000_000;

/** Every credential of the API document, and the ids that paths and queries need to lead somewhere. */
export interface Callers {
  accessKey: string;
  publishableKey: string;
  userToken: string;
  visitorToken: string;
  sessionToken: string;
  dispatchSecret: string;
  verifyToken: string;
  companyId: string;
  /** A company whose keys and limits may change in any way: nothing else calls with them. */
  spareCompanyId: string;
  conversationId: string;
  campaignId: string;
  chatWidgetId: string;
  voiceWidgetId: string;
}

/** Makes a caller of every kind on a running stack. */
export async function makeCallers({ base_url, database_url, demo }: StackFile): Promise<Callers> {
  if (demo === undefined) throw new Error("the stack made no demo company");
  const http = createTestHttp(new URL(base_url).origin);
  const sql = postgres(database_url, { max: 1, onnotice: () => {} });
  try {
    const { email, password, access_key, publishable_key, company_id } = demo;
    const login = await http.post("/auth", { email, password }, { query: { grant_type: "password" } });
    const { access_token: userToken, user } = login.body;
    const spare = await insertCompany(sql, { name: "Spare" });
    await insertKey(sql, spare.id);
    await insertMember(sql, spare.id, user.id);
    await sql`update outbound.api_keys set rate_limit = ${REQUESTS_PER_MINUTE}`;
    await insertExamples(sql, company_id, (await http.get("/openapi.json")).body);
    const opened = await http.post("/widget/conversations", { user_id: crypto.randomUUID() }, {
      query: { access_key: publishable_key, widget_id: demo.chat_widget_id },
    });
    const session = await http.get("/voice-widget/signed-url", {
      query: { access_key: publishable_key, id_widget: demo.voice_widget_id },
    });
    const sent = await http.post("/notify", {
      contact: { number: "15550100199", name: "Asha" },
      recipient_id: demo.sender,
      notification_type: "utility",
      campaign_name: "Fuzz",
      name_template: "order_update",
      language_template: "en_US",
      components_push: { body_text_0: "{{name}}", body_text_1: "A-1" },
    }, { query: { access_key } });
    return {
      accessKey: access_key,
      publishableKey: publishable_key,
      userToken,
      visitorToken: opened.body.visitor_token,
      sessionToken: session.body.session_token,
      dispatchSecret: STACK_ENV.OUTBOUND_DISPATCH_SECRET,
      verifyToken: STACK_ENV.WHATSAPP_VERIFY_TOKEN,
      companyId: company_id,
      spareCompanyId: spare.id,
      conversationId: opened.body.conversation_id,
      campaignId: sent.body.inquiry_set_id,
      chatWidgetId: demo.chat_widget_id,
      voiceWidgetId: demo.voice_widget_id,
    };
  } finally {
    await sql.end();
  }
}

/** Makes the senders, the template and the agent that the document's examples name, so that those are accepted. */
async function insertExamples(sql: postgres.Sql, companyId: string, document: JsonObject): Promise<void> {
  const exampleOf = (path: string) =>
    document.paths[path].post.requestBody.content["application/json"].example;
  const [message, call] = [exampleOf("/notify"), exampleOf("/notify/voice")];
  const sender = await insertSender(sql, companyId, { number: message.recipient_id });
  const { name_template: name, language_template: language } = message;
  await insertTemplate(sql, sender, { name, language });
  await insertVoiceSender(sql, companyId, { number: call.recipient_id });
  await insertAgent(sql, companyId, { platform_agent_id: call.agent_id });
}
