import assert from "node:assert/strict";
import {
  noticeOf,
  openConsole,
  type PushMessage,
  type Window,
  type Windows,
} from "../../console/service_worker/notice.ts";

const MESSAGE: PushMessage = {
  company_id: "c1",
  company: "Acme",
  conversation_id: "v1",
  kind: "whatsapp",
  language: "pt",
};

Deno.test("noticeOf() names the company and the conversation, in the member's language", () => {
  assert.deepEqual(noticeOf(MESSAGE), {
    title: "Acme",
    body: "Uma conversa espera por você.",
    tag: "v1",
    lang: "pt",
    data: { href: "#/c1/inbox?conversation=v1" },
  });
  const call = noticeOf({ ...MESSAGE, kind: "handoff", language: "constructor" });
  assert.deepEqual([call.body, call.data.href], [
    "A caller waits for you.",
    "#/c1/inbox?view=calls&handoff=v1",
  ]);
});

const SCOPE = "https://example.com/console/";

/** Windows at these addresses, and what was done with them. */
function windowsAt(urls: string[]): { windows: Windows; done: string[] } {
  const done: string[] = [];
  const all: Window[] = urls.map((url) => ({
    url,
    visibilityState: "hidden",
    focus: () => Promise.resolve(done.push(`focus ${url}`)),
    postMessage: (message) => done.push(JSON.stringify(message)),
  }));
  const windows: Windows = {
    matchAll: () => Promise.resolve(all),
    openWindow: (url) => Promise.resolve(done.push(`open ${url}`)),
  };
  return { windows, done };
}

Deno.test("openConsole() leads an open console to the conversation, and opens one only where none is open", async () => {
  const href = "#/c1/inbox?conversation=v1";
  const open = windowsAt(["https://example.com/shop", `${SCOPE}#/c1/overview`]);
  const closed = windowsAt(["https://example.com/shop"]);

  await openConsole(open.windows, SCOPE, href);
  await openConsole(closed.windows, SCOPE, href);

  assert.deepEqual(open.done, [JSON.stringify({ href }), `focus ${SCOPE}#/c1/overview`]);
  assert.deepEqual(closed.done, [`open ${SCOPE}${href}`]);
});
