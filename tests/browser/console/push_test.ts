import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { eventually } from "../../setup/eventually.ts";
import { type PushService, withPushService } from "../../setup/http/push_service.ts";
import type { WidgetStack } from "../widget_stack.ts";
import { manage, shareConsole, withConsole } from "./console_page.ts";
import { writeOnWhatsApp } from "./people.ts";

const consoleTest = shareConsole();
const ALLOWED = { permissions: ["notifications"] };

/** Gives the page's browser a push service: this machine reaches none of a vendor's. Everything else is the browser's own. */
async function subscribeAt(
  page: Page,
  { endpoint, keys }: ReturnType<PushService["subscription"]>,
): Promise<void> {
  await page.addInitScript(`{
    const KEY = "test.is-subscribed";
    const { endpoint, keys } = ${JSON.stringify({ endpoint, keys })};
    const subscription = (options) => ({
      endpoint,
      options,
      toJSON: () => ({ endpoint, expirationTime: null, keys }),
      unsubscribe: async () => localStorage.removeItem(KEY),
    });
    Object.assign(PushManager.prototype, {
      getSubscription: async () => localStorage.getItem(KEY) ? subscription({}) : null,
      async subscribe(options) {
        localStorage.setItem(KEY, "true");
        return subscription(options);
      },
    });
  }`);
  await page.reload();
}

const browsersOf = async (stack: WidgetStack) =>
  (await manage(stack, "GET", "/my/push_subscriptions")).subscriptions;

/** Passes a message to the service worker as a push service does. */
async function deliver(stack: WidgetStack, page: Page, message: unknown): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const registered = Promise.withResolvers<string>();
  devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    const [registration] = registrations;
    if (registration) registered.resolve(registration.registrationId);
  });
  await devtools.send("ServiceWorker.enable");
  await devtools.send("ServiceWorker.deliverPushMessage", {
    origin: new URL(stack.consoleUrl).origin,
    registrationId: await registered.promise,
    data: JSON.stringify(message),
  });
  await devtools.detach();
}

/** The notifications that the browser shows: the worker alone sees them while no console is open. */
async function shownIn(page: Page): Promise<unknown> {
  const [worker] = page.context().serviceWorkers();
  return await worker!.evaluate(`registration.getNotifications().then((notices) =>
    notices.map(({ title, body, tag, lang }) => ({ title, body, tag, lang })))`);
}

Deno.test(consoleTest(
  "console: a device is notified of a reply in a conversation of the member's, until the member logs out",
  (stack, console) =>
    withPushService(async (service) => {
      const { page } = console;
      await subscribeAt(page, service.subscription("device"));
      await writeOnWhatsApp(stack, "34600333001", "Hello");
      await console.logIn();
      await console.open("inbox");
      await page.getByRole("button", { name: "Notify me on this device" }).click();
      await page.getByRole("button", { name: "Notifications are on", exact: true }).waitFor();
      assert.equal((await browsersOf(stack)).length, 1);
      await page.getByRole("link", { name: /34600333001/ }).click();
      await page.getByLabel("Who takes care of it").selectOption({ label: "Me" });
      await page.getByText("Changed who takes care of it.").waitFor();

      await writeOnWhatsApp(stack, "34600333001", "My card is 4111 1111");
      await eventually(() => Promise.resolve(assert.equal(service.received.length, 1)));

      const [{ message }] = service.received as [PushService["received"][0]];
      assert.ok(!/4111|34600333001/.test(JSON.stringify(message)));
      // Seen at once: the console is on the screen.
      await deliver(stack, page, message);
      await eventually(async () => assert.deepEqual(await shownIn(page), []));

      await page.reload();
      await page.getByRole("button", { name: "Notifications are on", exact: true }).waitFor();
      await page.getByRole("button", { name: "Account" }).or(page.locator("summary")).first().click();
      await page.getByRole("button", { name: "Log out" }).click();
      await page.getByLabel("Password").waitFor();
      await eventually(async () => assert.deepEqual(await browsersOf(stack), []));
    }),
  ALLOWED,
));

Deno.test(consoleTest(
  "console: the service worker shows one notification per conversation while no console is open",
  (stack, console) =>
    withPushService(async (service) => {
      const { page } = console;
      await subscribeAt(page, service.subscription("device"));
      await console.logIn();
      await console.open("inbox");
      await page.getByRole("button", { name: "Notify me on this device" }).click();
      await page.getByRole("button", { name: "Notifications are on", exact: true }).waitFor();
      const message = {
        company_id: stack.demo.company_id,
        company: "Acme",
        conversation_id: crypto.randomUUID(),
        kind: "chat",
        language: "es",
      };
      await page.goto("about:blank");

      for (const _ of [1, 2]) await deliver(stack, page, message);

      await eventually(async () =>
        assert.deepEqual(await shownIn(page), [{
          title: "Acme",
          body: "Una conversación te espera.",
          tag: message.conversation_id,
          lang: "es",
        }])
      );
    }),
  ALLOWED,
));

Deno.test(consoleTest(
  "console: a browser that blocks notifications, or has no push service, is shown as it is",
  async (stack, console) => {
    const { page } = console;
    const before = await browsersOf(stack);
    await console.logIn();
    await console.open("inbox");
    await page.getByRole("button", { name: "Notify me on this device" }).click();
    await page.getByRole("button", { name: "Notifications are on while the console is open" }).waitFor();
    assert.deepEqual(await browsersOf(stack), before);

    await withConsole(stack, async (other) => {
      await other.page.addInitScript(
        `Object.defineProperty(Notification, "permission", { get: () => "denied" })`,
      );
      await other.page.reload();
      await other.logIn();
      await other.open("inbox");
      await other.page.getByRole("button", { name: "The browser blocks notifications" }).waitFor();
    });
  },
  // Chromium says that a window of its own has no push service.
  { ...ALLOWED, mayComplain: true },
));

Deno.test(consoleTest(
  "console: a script of any other address is refused, also as a service worker",
  async (stack, { page }) => {
    assert.ok(stack);
    const refused = await page.evaluate(
      `navigator.serviceWorker.register("service_worker.js").then(() => "registered", ({ name }) => name)`,
    );
    const made = await page.evaluate(`{
      try {
        String(trustedTypes.createPolicy("another", { createScriptURL: (text) => text }));
      } catch (error) {
        error.name;
      }
    }`);

    assert.deepEqual([refused, made], ["TypeError", "TypeError"]);
  },
  { mayComplain: true },
));
