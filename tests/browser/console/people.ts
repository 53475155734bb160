import assert from "node:assert/strict";
import type { WidgetStack } from "../widget_stack.ts";

/** Writes to the demo company's number from a simulated phone. */
export async function writeOnWhatsApp(stack: WidgetStack, number: string, text: string): Promise<void> {
  await sendOnWhatsApp(stack, number, { type: "text", text });
}

/** Sends a message of any type, such as a file as base64, to the demo company's number. */
export async function sendOnWhatsApp(
  stack: WidgetStack,
  number: string,
  message: Record<string, string>,
): Promise<void> {
  const accounts = await (await fetch(`${stack.sandboxUrl}/sandbox/accounts`)).text();
  const [, phone_number_id] = /"phoneNumberId":"(\d+)"/.exec(accounts)!;
  const response = await fetch(`${stack.sandboxUrl}/sandbox/phones/${number}/messages`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...message, phone_number_id }),
  });
  const body = await response.text();
  assert.ok(response.ok, body);
}

/** Has the demo company's agent call people, and returns the campaign's id. */
export async function placeCalls(
  { apiUrl, demo }: WidgetStack,
  name: string,
  numbers: string[],
): Promise<string> {
  const response = await fetch(`${apiUrl}/notify/voice`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${demo.access_key}` },
    body: JSON.stringify({
      contacts: numbers.map((number) => ({ number, first_name: "Ana" })),
      recipient_id: demo.sender,
      agent_id: demo.agent_id,
      notification_type: "transactional",
      campaign_name: name,
    }),
  });
  const body = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  return body.inquiry_set_id;
}
