import assert from "node:assert/strict";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { JsonObject } from "../../setup/http/http.ts";
import { skipped } from "../../setup/skipped.ts";
import { STEP_TIMEOUT_MS } from "../find_chromium.ts";
import { SHARED, shareWidgetStack, type WidgetStack } from "../widget_stack.ts";
import { type StepName, STEPS } from "./trial_tasks.ts";

const DESCRIBE_MS = 5000;
const DESCRIBED_CHARACTERS = 3000;

/** The console of a running stack in a browser window of its own. */
export interface ConsolePage {
  page: Page;
  /** Goes to a path below the company: `campaigns?open=true`. */
  open(path: string): Promise<void>;
  /** Logs in as the demo user, and waits for the screen with this heading: the overview if it is left out. */
  logIn(heading?: string): Promise<void>;
  /** Counts what a person presses from now on, for a step of a task. */
  countPresses(step: StepName): Presses;
}

export interface Presses {
  /** Ends the step; fails unless it took the presses that `STEPS` says. */
  done(): Promise<void>;
}

/** Runs in the page: what is typed is no press. */
const REPORT_PRESSES = `
  addEventListener("pointerdown", (event) => event.isTrusted && outboundPressed(), true);
  addEventListener("change", ({ target }) => target.matches("select, input[type=file]") && outboundPressed(), true);
`;

/** Calls `fn` with the console's log-in; fails when the page logs an error. */
export async function withConsole(
  stack: WidgetStack,
  fn: (console: ConsolePage) => Promise<void>,
  options: BrowserContextOptions & { mayComplain?: boolean } = {},
): Promise<void> {
  const { mayComplain = false, ...context } = options;
  const window = await stack.browser.newContext({ locale: "en-GB", timezoneId: "Europe/Madrid", ...context });
  const { consoleUrl, demo } = stack;
  const complaints: string[] = [];
  let pressed = 0;
  try {
    await window.exposeFunction("outboundPressed", () => void pressed++);
    await window.addInitScript(REPORT_PRESSES);
    const page = await window.newPage();
    page.setDefaultTimeout(STEP_TIMEOUT_MS);
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(`${message.text()} ${message.location().url}`);
    });
    // The first one of a stack builds the console.
    await page.goto(`${consoleUrl}/`, { timeout: STEP_TIMEOUT_MS });
    await fn({
      page,
      async open(path) {
        await page.goto(`${consoleUrl}/#/${demo.company_id}/${path}`);
      },
      async logIn(heading = "Overview") {
        await page.getByLabel("E-mail").fill(demo.email);
        await page.getByLabel("Password").fill(demo.password);
        await page.getByRole("button", { name: "Log in" }).click();
        await page.getByRole("heading", { name: heading }).waitFor();
      },
      countPresses(step) {
        const before = pressed;
        return {
          async done() {
            // Reports come before the response to this.
            await page.evaluate("0");
            const { presses } = STEPS[step];
            assert.equal(pressed - before, presses, step);
          },
        };
      },
    });
    if (!mayComplain) assert.deepEqual(complaints, []);
  } catch (error) {
    const shown = await Promise.all(window.pages().map(describePage));
    globalThis.console.error([...shown, ...complaints].join("\n"));
    throw error;
  } finally {
    await window.close();
  }
}

/** Says what a page shows: what a test waited for in vain says little without it. */
async function describePage(page: Page): Promise<string> {
  const shown = await page.innerText("body", { timeout: DESCRIBE_MS }).catch(() =>
    "nothing that could be read"
  );
  return `${page.url()} showed:\n${shown.slice(0, DESCRIBED_CHARACTERS)}`;
}

/** One stack for all console tests of a file. Returns the function that makes a test, with the console in a browser. */
export function shareConsole() {
  const stackOf = shareWidgetStack();
  return (
    name: string,
    fn: (stack: WidgetStack, console: ConsolePage) => Promise<void>,
    options?: Parameters<typeof withConsole>[2],
  ): Deno.TestDefinition => ({
    ...SHARED,
    name,
    fn: async () => {
      const stack = stackOf();
      if (stack === undefined) return skipped("the console", "no Chromium found");
      await withConsole(stack, (console) => fn(stack, console), options);
    },
  });
}

/** Sends to as many people as the company, and returns the campaign's id. */
export async function sendCampaign(
  { apiUrl, demo }: WidgetStack,
  { name, recipients, first = 2_000_000, later = false }: {
    name: string;
    recipients: number;
    first?: number;
    /** In some years, at 9:30 in Madrid. */
    later?: boolean;
  },
): Promise<string> {
  const response = await fetch(`${apiUrl}/notify`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${demo.access_key}` },
    body: JSON.stringify({
      contacts: Array.from({ length: recipients }, (_, index) => ({
        number: `1555${first + index}`,
        name: "Ana",
      })),
      name_template: "order_update",
      language_template: "en_US",
      recipient_id: demo.sender,
      notification_type: "utility",
      campaign_name: name,
      ...(later && { datetime_sending: "2031-01-30T09:30:00", timezone: "Europe/Madrid" }),
      components_push: { body_text_0: "{{name}}", body_text_1: "A-1042" },
    }),
  });
  const body = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  return body.inquiry_set_id;
}

/** Calls `/manage` below the demo company as its owner. */
export async function manage(
  stack: WidgetStack,
  method: string,
  path: string,
  body?: unknown,
): Promise<JsonObject> {
  const token = tokens.get(stack) ?? logIn(stack);
  tokens.set(stack, token);
  const response = await fetch(`${stack.apiUrl}/manage/companies/${stack.demo.company_id}${path}`, {
    method,
    headers: { ...JSON_TYPE, Authorization: `Bearer ${await token}`, "If-Match": "*" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const responded = await response.json();
  assert.equal(response.status, 200, JSON.stringify(responded));
  return responded;
}

const JSON_TYPE = { "Content-Type": "application/json" };

/** The service takes few log-ins per minute. */
const tokens = new WeakMap<WidgetStack, Promise<string>>();

async function logIn({ apiUrl, demo }: WidgetStack): Promise<string> {
  const response = await fetch(`${apiUrl}/auth?grant_type=password`, {
    method: "POST",
    headers: JSON_TYPE,
    body: JSON.stringify({ email: demo.email, password: demo.password }),
  });
  return (await response.json()).access_token;
}

/** Sets how many messages per second the demo company's number sends. */
export async function setRate(stack: WidgetStack, ratePerSecond: number): Promise<void> {
  const { senders } = await manage(stack, "GET", "/senders?channel=whatsapp");
  await manage(stack, "PUT", `/senders/${senders[0].sender_id}/rate`, { rate_per_second: ratePerSecond });
}

/** Makes the sandbox refuse the next sends. */
export async function failNext({ sandboxUrl }: WidgetStack, times: number): Promise<void> {
  const response = await fetch(`${sandboxUrl}/sandbox/faults`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ fault: { code: 131026 }, times }),
  });
  assert.equal(response.status, 201);
  await response.body?.cancel();
}
