import type { StackFile } from "./with_documented_stack.ts";

const HEADERS = { "content-type": "application/json" };

/** Writes in the chat of the demo page, as a reader does in a browser before using the commands of docs/widgets.md. */
export async function writeInDemoChat({ base_url, demo }: StackFile): Promise<void> {
  const query = new URLSearchParams({ access_key: demo.publishable_key, widget_id: demo.chat_widget_id });
  const opened = await post(`${base_url}/widget/conversations?${query}`, { user_id: crypto.randomUUID() });
  const { conversation_id, visitor_token } = opened;
  await post(`${base_url}/widget/conversations/${conversation_id}/messages`, {
    client_message_id: crypto.randomUUID(),
    text: "Where is my order?",
  }, { authorization: `Bearer ${visitor_token}` });
}

async function post(
  url: string,
  body: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Record<string, string>> {
  const response = await fetch(url, {
    method: "POST",
    headers: { ...HEADERS, ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text}`);
  return JSON.parse(text);
}
