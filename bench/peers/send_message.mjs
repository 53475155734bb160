/** Sends the platform one message of the size ours have, and reads its answer. */
export async function sendMessage(url, { number, text }) {
  const response = await fetch(`${url}/v25.0/4100000000000/messages`, {
    method: "POST",
    headers: { authorization: "Bearer token-of-the-usual-length-or-so", "content-type": "application/json" },
    body: JSON.stringify({
      messaging_product: "whatsapp",
      recipient_type: "individual",
      to: `+${number}`,
      type: "template",
      biz_opaque_callback_data: "01890000-0000-7000-8000-000000000000:01890000-0000-7000-8000-000000000000",
      template: {
        name: "order_update",
        language: { code: "en" },
        components: [{
          type: "body",
          parameters: [{ type: "text", text }, { type: "text", text: "A-1001" }],
        }],
      },
    }),
  });
  const { messages } = await response.json();
  return messages[0].id;
}
