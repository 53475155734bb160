/** Where messages go, below the platform's URL. */
export const MESSAGES_PATH = "/v25.0/4100000000000/messages";

/** The headers of a message of ours. */
export const MESSAGE_HEADERS = {
  authorization: "Bearer token-of-the-usual-length-or-so",
  "content-type": "application/json",
};

/** A body of the size ours have. */
export function messageBody({ number, text }) {
  return JSON.stringify({
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
  });
}

/** Sends the platform one message and reads its response. */
export async function sendMessage(url, message) {
  const response = await fetch(`${url}${MESSAGES_PATH}`, {
    method: "POST",
    headers: MESSAGE_HEADERS,
    body: messageBody(message),
  });
  const { messages } = await response.json();
  return messages[0].id;
}
