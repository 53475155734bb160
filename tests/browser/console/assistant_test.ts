import assert from "node:assert/strict";
import { manage, shareConsole } from "./console_page.ts";

const consoleTest = shareConsole();

Deno.test(consoleTest(
  "console: lets a machine reply first in a chat, and marks a visitor who asks for a person",
  async (stack, console) => {
    const { page } = console;
    const widgetId = await stack.makeWidget({});
    await console.logIn();
    await console.open(`widgets/${widgetId}`);
    await page.getByLabel("First reply").selectOption("By a machine, from your documents");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    assert.deepEqual((await manage(stack, "GET", `/widgets/${widgetId}`)).config, {
      assistant: { mode: "search" },
    });

    const { apiUrl, demo } = stack;
    const post = async (path: string, body: unknown, token?: string) => {
      const response = await fetch(`${apiUrl}/widget/conversations${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) },
        body: JSON.stringify(body),
      });
      assert.ok(response.ok, await response.clone().text());
      return response.status === 204 ? {} : await response.json();
    };
    const title = `Cart of ${crypto.randomUUID()}`;
    const { conversation_id: id, visitor_token: token } = await post(
      `?access_key=${demo.publishable_key}&widget_id=${widgetId}`,
      { user_id: crypto.randomUUID(), page_url: "https://shop.example/cart", page_title: title },
    );
    const question = `Xyzzy ${crypto.randomUUID()}`;
    await post(`/${id}/messages`, { client_message_id: crypto.randomUUID(), text: question }, token);
    await console.open(`inbox?conversation=${id}`);
    const log = page.getByRole("log");
    await log.getByText(question).waitFor();
    await log.getByText("I found nothing about this in our documents", { exact: false }).waitFor();
    const row = page.locator(`.inbox-row.chosen`);
    assert.equal(await row.getByText("Wants a person").count(), 0);

    await post(`/${id}/handoff`, undefined, token);
    await row.getByText("Wants a person").waitFor();
    await log.getByText("You asked for a person. We will reply here.").waitFor();
    await page.getByRole("textbox", { name: "Write a reply" }).fill("Here I am");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await row.getByText("Wants a person").waitFor({ state: "detached" });
  },
));

Deno.test(
  consoleTest(
    "console: lets an agent reply in a chat, and says where the agent is missing",
    async (stack, console) => {
      const { page } = console;
      const widgetId = await stack.makeWidget({});
      await console.logIn();
      await console.open(`widgets/${widgetId}`);
      await page.getByLabel("First reply").selectOption("By an agent");
      await page.getByRole("button", { name: "Save" }).click();
      const agent = page.getByLabel("The agent that replies");
      await agent.and(page.locator("[aria-invalid=true]")).waitFor();

      await agent.fill(stack.demo.agent_id);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved.", { exact: true }).waitFor();

      assert.deepEqual((await manage(stack, "GET", `/widgets/${widgetId}`)).config, {
        assistant: { mode: "agent", agent_id: stack.demo.agent_id },
      });
    },
    { mayComplain: true },
  ),
);
