import assert from "node:assert/strict";
import fc from "fast-check";
import {
  formatHead,
  formatHeaders,
  formatRequest,
  formatTextRequest,
} from "../../../../supabase/functions/_shared/gateways/http1/request.ts";

const URL_OF_A_SENDER = new URL("https://graph.example/v25.0/123/messages");

Deno.test("formatTextRequest() writes what formatRequest() writes, for every text and header", () => {
  const units = fc.string({ unit: "binary", maxLength: 50 });
  const header = fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,20}$/);

  fc.assert(fc.property(units, fc.nat({ max: 2000 }), header, (text, times, value) => {
    const [body, headers] = [text.repeat(times), { authorization: value }];
    const head = formatHead(URL_OF_A_SENDER, "POST") + formatHeaders(headers);

    const request = formatRequest(URL_OF_A_SENDER, {
      method: "POST",
      headers,
      body: new TextEncoder().encode(body),
    });

    assert.deepEqual(formatTextRequest(head, body), request);
  }));
});

Deno.test("formatHeaders() refuses a value that would begin another header", () => {
  assert.throws(() => formatHeaders({ authorization: "Bearer a\r\nx: y" }), TypeError);
});
