import type { JsonObject, TestAnswer, TestRequestOptions } from "../../setup/http/http.ts";
import { insertPublishableKey, insertWidget, type WidgetFixture } from "../../setup/fixtures/widgets.ts";
import type { Api } from "../with_api.ts";

/** A visitor's conversation, as its page and its operator have it. */
export interface TestChat {
  widget: WidgetFixture;
  userId: string;
  id: string;
  token: string;
  /** The options of a visitor's request. */
  asVisitor: { headers: Record<string, string> };
  asOperator: { query: Record<string, string> };
  /** `POST /widget/conversations` once more, as the same visitor by default. */
  open(visitor: { token?: string; user_id?: string }): Promise<TestAnswer<JsonObject>>;
  /** Writes as the visitor; the body is changed as given, undefined takes a field out. */
  say(text: string, changes?: JsonObject): Promise<TestAnswer<JsonObject> & { sent: JsonObject }>;
  reply(text: string, changes?: JsonObject): Promise<TestAnswer<JsonObject>>;
  /** `POST` below the conversation, as its visitor by default. */
  act(what: string, body: unknown, options?: TestRequestOptions): Promise<TestAnswer<JsonObject>>;
  /** Asks for a person, as the visitor. */
  requestPerson(): Promise<TestAnswer<JsonObject>>;
  read(query?: Record<string, string>): Promise<TestAnswer<JsonObject>>;
  readAsOperator(): Promise<TestAnswer<JsonObject>>;
  /** Ends it, as an operator on the command line does. */
  close(): Promise<void>;
}

/** Opens a conversation in a chat widget of its own, configured as given, with a publishable key. */
export async function openChat(
  api: Api,
  visitor: JsonObject = {},
  config: JsonObject = {},
): Promise<TestChat> {
  const { http, sql, company, key } = api;
  const widget = await insertWidget(sql, company.id, { config });
  const publishable = await insertPublishableKey(sql, company.id);
  const userId = crypto.randomUUID();
  const open: TestChat["open"] = ({ token, ...changes }) =>
    http.post("/widget/conversations", { user_id: userId, ...visitor, ...changes }, {
      query: { access_key: publishable, widget_id: widget.id },
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
  const { body: { conversation_id: id, visitor_token: token } } = await open({});
  const path = `/widget/conversations/${id}/messages`;
  const asVisitor = { headers: { authorization: `Bearer ${token}` } };
  const asOperator = { query: { access_key: key.key } };
  return {
    ...{ widget, userId, id, token, asVisitor, asOperator, open },
    async say(text, changes = {}) {
      const sent = { client_message_id: crypto.randomUUID(), text, ...changes };
      return { ...await http.post(path, sent, asVisitor), sent };
    },
    reply: (text, changes = {}) =>
      http.post(path, { client_message_id: crypto.randomUUID(), text, ...changes }, asOperator),
    act: (what, body, options = asVisitor) => http.post(`/widget/conversations/${id}/${what}`, body, options),
    requestPerson: () => http.post(`/widget/conversations/${id}/handoff`, undefined, asVisitor),
    read: (query = {}) => http.get(path, { ...asVisitor, query }),
    readAsOperator: () => http.get(path, asOperator),
    close: async () => void await sql`select outbound.close_conversation(${company.id}, ${id})`,
  };
}
