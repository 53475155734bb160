import assert from "node:assert/strict";
import { eventually } from "../setup/eventually.ts";
import { skipped } from "../setup/skipped.ts";
import { assertAccessible } from "./browser_page.ts";
import { open, send, withHostPage, write } from "./host_page.ts";
import { SHARED, shareWidgetStack } from "./widget_stack.ts";

const sharedStack = shareWidgetStack();

Deno.test(
  "chat widget: a machine replies with its name and its sources, until the visitor asks for a person",
  SHARED,
  async () => {
    const running = sharedStack();
    if (!running) return skipped("a chat with an assistant", "no Chromium found");
    const { apiUrl, demo, makeWidget, reply, conversation } = running;
    const added = await fetch(`${apiUrl}/manage/companies/mine/knowledge?access_key=${demo.access_key}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        title: "Warranty <b>terms</b>",
        content: "Umbrellas have a warranty of two years.",
        url: "https://shop.example/warranty",
        language: "en",
      }),
    });
    assert.equal(added.status, 200, await added.text());
    const widget = await makeWidget({ assistant: { mode: "search" } });

    for (const colorScheme of ["light", "dark"] as const) {
      const question = `Which warranty has an umbrella? (${colorScheme})`;
      await withHostPage(running, async (host) => {
        const { page, chat, complaints } = host;
        await page.evaluate(`{
          globalThis.events = [];
          for (const name of ["message", "handoff"]) {
            addEventListener("outbound:" + name, ({ detail }) => events.push(detail.author ?? name));
          }
        }`);
        await open(host);
        await send(host, question);
        const machine = chat.locator("li.operator .machine");
        await machine.waitFor();
        assert.equal(await machine.locator(".machine-name").textContent(), "Assistant");
        assert.match(
          await machine.locator("p").textContent() ?? "",
          /Umbrellas have a warranty of two years\./,
        );
        const source = chat.getByRole("link", { name: "Warranty <b>terms</b>" });
        assert.equal(await source.getAttribute("href"), "https://shop.example/warranty");
        await assertAccessible(page.frames().at(-1)!);
        await host.screenshot(`assistant-${colorScheme}`);

        const person = chat.getByRole("button", { name: "Talk to a person" });
        await page.route("**/handoff", (route) => route.abort());
        await person.click();
        await chat.getByText("Not sent. Try again").waitFor();
        await page.unroute("**/handoff");
        await person.focus();
        await page.keyboard.press("Enter");
        await chat.getByText("You asked for a person. We will reply here.").waitFor();
        await person.waitFor({ state: "hidden" });
        assert.ok(await page.frames().at(-1)!.evaluate("document.activeElement.tagName === 'TEXTAREA'"));

        await write(host, `And a raincoat? (${colorScheme})`);
        await reply(question, "Three years");
        await chat.getByText("Three years").waitFor();
        await eventually(async () =>
          assert.deepEqual((await conversation(question)).map((message) => message.split(":")[0]), [
            ...["visitor", "operator", "system", "visitor", "operator"],
          ])
        );
        assert.equal(await chat.locator(".machine").count(), 1);
        await eventually(async () =>
          assert.deepEqual(await page.evaluate("events"), [
            ...["visitor", "operator", "system", "handoff", "visitor", "operator"],
          ])
        );
        await page.reload();
        await open(host);
        await chat.getByText("Three years").waitFor();
        assert.equal(await person.count(), 0);
        assert.deepEqual(complaints.filter((line) => !line.includes("net::ERR_FAILED")), []);
      }, { attributes: { widget }, context: { colorScheme }, hostname: "127.0.0.1" });
    }
  },
);
