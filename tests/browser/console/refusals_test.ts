import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { words } from "../../../console/i18n/en.ts";
import { SCREENS } from "../../../console/app/screens.ts";
import { ERROR_CODES } from "../../../supabase/functions/_shared/errors.ts";
import { shareConsole } from "./console_page.ts";
import { technicalTexts } from "./technical_texts.ts";

const consoleTest = shareConsole();

/** Those of a session that has ended are a log-in, not a sentence. */
const CODES = ERROR_CODES.filter((code) => code !== "unauthorized");

/** The API's own sentence, which is for programs. */
const RAW = "Invalid value for 'contact.number[0]': expected digits_only";

/** Requests whose refusal would leave no screen: the member's companies, and the stream. */
const OF_A_SCREEN = /\/manage\/companies\/[^/]+\/(?!events|my\/)|\/auth\/factors$/;

/** Refuses what the screens ask; `codeOf` is asked for each request. */
async function refuseAll(page: Page, origin: string, codeOf: () => string): Promise<void> {
  await page.route(OF_A_SCREEN, (route) =>
    route.fulfill({
      status: 400,
      json: {
        ...{ error: codeOf(), message: RAW, request_id: "req-1" },
        details: { field: "contact.number[0]", reason: "is_wrong", expected_format: "digits_only" },
      },
      headers: { "Access-Control-Allow-Origin": origin },
    }));
}

async function assertOwnWords(page: Page, where: string): Promise<void> {
  assert.deepEqual(await technicalTexts(page), [], where);
  assert.equal((await page.innerText("body")).includes("expected digits"), false, where);
}

Deno.test(consoleTest(
  "console: whatever the API refuses to a screen, the member reads the console's words for it",
  async (stack, console) => {
    const { page } = console;
    await console.logIn();
    let code = "";
    await refuseAll(page, stack.consoleUrl, () => code);
    const says = () => page.getByRole("main").getByText(words.problems[code]!).first().waitFor();
    for (const each of CODES) {
      code = each;
      await console.open(`audit?actor=${code}`);
      await says();
      await assertOwnWords(page, code);
    }
    code = "service_unavailable";
    for (const { path } of SCREENS.filter((screen) => !SAYS_NOTHING.has(screen.path))) {
      await console.open(path.replaceAll(/:\w+/g, crypto.randomUUID()));
      await says();
      await assertOwnWords(page, path);
    }
  },
  { mayComplain: true },
));

/** Screens that read nothing before something is chosen in them, or only what their fields offer. */
const SAYS_NOTHING = new Set(["contacts/import", "lists/new"]);

Deno.test(consoleTest(
  "console: whatever the API refuses to a form, the member reads the console's words for it",
  async (stack, console) => {
    const { page } = console;
    await console.logIn();
    await console.open("members");
    await page.getByRole("button", { name: "Invite a member" }).click();
    const form = page.getByRole("dialog", { name: "Invite a member" });
    await form.getByLabel("E-mail").fill("unknown@example.com");
    let code = "";
    await refuseAll(page, stack.consoleUrl, () => code);
    for (const each of CODES) {
      code = each;
      await form.getByLabel("E-mail").press("Enter");
      await form.getByText(words.problems[code]!).waitFor();
      await assertOwnWords(page, code);
    }
  },
  { mayComplain: true },
));
