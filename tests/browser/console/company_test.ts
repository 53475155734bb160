import assert from "node:assert/strict";
import { manage, shareConsole } from "./console_page.ts";

const consoleTest = shareConsole();

Deno.test(consoleTest(
  "console: invites a viewer, who comes by the invitation's link, and sees nothing to press",
  async (stack, console) => {
    const { page } = console;
    const email = "viewer@example.com";
    await manage(stack, "PUT", "/webhooks", { url: "http://127.0.0.1:9/events", event_types: null });
    const { event_id } = await manage(stack, "POST", "/webhooks/test");
    const { document_id } = (await manage(stack, "GET", "/knowledge")).documents[0];
    await manage(stack, "PUT", "/settings/frequency_caps", {
      frequency_caps: [{ channel: "any", max: 3, days: 7 }],
    });
    // Each with something on it that shows once everything around it does.
    const screens = [
      ["webhooks", page.getByRole("link", { name: "webhook.test" }).first()],
      [`webhooks?delivery=${event_id}`, page.getByRole("dialog").getByText("webhook-id", { exact: true })],
      ["keys", page.getByText("Rate limit")],
      ["keys", page.getByRole("row", { name: /pk_/ }).first()],
      ["widgets", page.getByRole("link", { name: "Demo chat" })],
      [`widgets/${stack.demo.chat_widget_id}`, page.getByRole("complementary", { name: "Preview" })],
      [`knowledge?document=${document_id}`, page.getByRole("dialog").getByText("English")],
      ["settings", page.getByText("at most 3 per person in 7 days")],
    ] as const;
    await console.logIn();
    await console.open("members");
    const presses = console.countPresses("invite a viewer");
    await page.getByRole("button", { name: "Invite a member" }).click();
    const form = page.getByRole("dialog", { name: "Invite a member" });
    await form.getByLabel("E-mail").fill("nobody");
    await form.getByLabel("E-mail").press("Enter");
    await form.getByText("Expected: an e-mail address").waitFor();
    await form.getByLabel("E-mail").fill(email);
    await form.getByLabel("Role").selectOption("viewer");
    await form.getByRole("button", { name: "Invite a member" }).click();
    await page.getByRole("row", { name: /viewer@example\.com Viewer Pending/ }).waitFor();
    await presses.done();

    await page.goto("about:blank");
    await page.goto(await stack.emailedLink(email, "invite"));

    await page.getByRole("heading", { name: "You are invited" }).waitFor();
    assert.equal(new URL(page.url()).hash, "");
    await page.getByText(email).waitFor();
    const companies = Promise.withResolvers<void>();
    await page.route(/\/manage\/companies$/, async (route) => {
      await companies.promise;
      await route.continue();
    });
    await page.getByLabel("New password").fill("a viewer's password");
    await page.getByRole("button", { name: "Set the password and go on" }).click();
    // The owner was logged in here: nothing of theirs shows while the viewer's companies are read.
    await page.getByRole("status").getByText("Loading").waitFor();
    assert.equal(await page.getByRole("navigation").count(), 0);
    companies.resolve();
    await page.getByText("You are not a member of any company").waitFor();
    await page.getByText("“Demo Traders” invites you to be a member: Viewer").waitFor();
    await page.getByRole("button", { name: "Accept" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "Members" }).count(), 0);
    for (const [path, sign] of screens) {
      await console.open(path);
      await sign.waitFor();
      for (const name of ACTIONS) {
        assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, `${path}: ${name}`);
      }
    }
    await console.open("members");
    await page.getByText("Your role does not allow this.").waitFor();
    const { members } = await manage(stack, "GET", "/members");
    const { role, state } = members.find((member: { email: string }) => member.email === email);
    assert.deepEqual([role, state], ["viewer", "active"]);
  },
  { mayComplain: true },
));

Deno.test(consoleTest(
  "console: shows an invitation without opening its company, and accepts, declines and leaves",
  async (stack, console) => {
    const { page } = console;
    await stack.inviteDemoUser("AAA Evil");
    await stack.inviteDemoUser("Zeta");
    await console.logIn();
    const [evil, zeta] = ["AAA Evil", "Zeta"].map((name) =>
      page.getByRole("status").filter({ hasText: `“${name}” invites you to be a member: Operator` })
    );
    const here = new URL(page.url()).hash;
    assert.ok(here.startsWith(`#/${stack.demo.company_id}/`));

    await evil!.getByRole("button", { name: "Decline" }).click();
    await evil!.waitFor({ state: "detached" });
    assert.equal(await page.getByLabel("Company", { exact: true }).count(), 0);
    await zeta!.getByRole("button", { name: "Accept" }).click();
    await page.getByLabel("Company", { exact: true }).waitFor();
    assert.equal(new URL(page.url()).hash, here);

    await page.getByLabel("Company", { exact: true }).selectOption({ label: "Zeta" });
    await page.waitForURL((url) => url.hash !== here);
    // The API refuses whatever is still read of a company that the member leaves.
    for (
      const sign of ["Nobody waits.", "None is planned.", "Nothing was sent in this time.", "First steps"]
    ) {
      await page.getByText(sign).waitFor();
    }
    await page.getByTitle("Account").click();
    await page.getByRole("button", { name: "Leave Zeta" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Leave Zeta" }).click();
    await page.waitForURL((url) => url.hash === here);
    assert.equal(await page.getByLabel("Company", { exact: true }).count(), 0);
  },
));

/** The names of every button that changes something. */
const ACTIONS = [
  ...["Change", "Set the webhook", "Send a test", "Rotate the secret", "Switch off", "Replay failed"],
  ...["Deliver again", "Edit", "Discard", "Add a language"],
  ...["Copy the key", "Rotate", "Revoke", "Activate", "Create a key", "Create a widget", "Add a document"],
  ...["Save", "Remove", "Add hours", "Add a cap", "Add a key", "Add a webhook", "Create the test company"],
];

Deno.test(consoleTest(
  "console: logs no user in by a link without a press, and says when a link is not valid",
  async (stack, console) => {
    const { page } = console;
    await page.goto("about:blank");
    await page.goto(`${stack.consoleUrl}/#error=access_denied&error_description=Call+this+number`);
    await page.getByRole("heading", { name: "This link is not valid any more" }).waitFor();
    assert.equal(await page.getByText("Call this number").count(), 0);
    await page.goto("about:blank");
    const sub = "0192f8a0-1111-4222-8333-444455556666";
    const claims = btoa(JSON.stringify({ sub, email: "other@example.com", exp: 4_000_000_000 }));
    await page.goto(`${stack.consoleUrl}/#access_token=e30.${claims}.x&refresh_token=x&type=invite`);

    await page.getByText("other@example.com").waitFor();
    assert.equal(await page.evaluate("sessionStorage.length"), 0);
    await page.getByRole("button", { name: "Not now" }).click();
    await page.getByLabel("Password").waitFor();
    await page.goto("about:blank");
    await page.goto(`${stack.consoleUrl}/#access_token=e30.${claims}.x&refresh_token=x&type=invite`);
    await page.getByLabel("New password").fill("a viewer's password");
    await page.getByRole("button", { name: "Set the password and go on" }).click();

    await page.getByRole("heading", { name: "This link is not valid any more" }).waitFor();
  },
  { mayComplain: true },
));

Deno.test(
  consoleTest("console: changes settings, which the audit shows before and after", async (stack, console) => {
    const { page } = console;
    await manage(stack, "PUT", "/settings", { on_unknown: "resend", call_gap_s: 60 });
    await console.logIn();
    await console.open("settings");
    await page.getByLabel("Seconds between calls").fill("86401");
    const sending = page.locator("form").first();
    await sending.getByRole("button", { name: "Save" }).click();
    await page.getByText("Expected: 0 to 86400 seconds").waitFor();
    await page.getByLabel("Seconds between calls").fill("300");
    await page.getByLabel("When an outcome stays unknown").selectOption("hold");
    await sending.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();

    let presses = console.countPresses("add sending hours");
    await page.getByRole("button", { name: "Add hours" }).click();
    const form = page.getByRole("dialog", { name: "Add hours" });
    await form.getByLabel("Hours", { exact: true }).selectOption("own");
    await form.getByLabel("Days and hours").fill("any time");
    await form.getByRole("button", { name: "Save" }).press("Enter");
    await form.getByText("Expected: such as mon-fri").waitFor();
    await form.getByLabel("Days and hours").fill("mon-fri 09:00-14:00,16:00-20:00");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("Messages and calls, marketing: Mon–Fri 09:00–14:00, 16:00–20:00").waitFor();
    await presses.done();

    await console.open("audit?action=company.updated");
    presses = console.countPresses("see what was changed");
    await page.getByRole("link", { name: "Settings changed" }).first().click();
    const entry = page.getByRole("dialog", { name: "Settings changed" });
    await entry.getByRole("row", { name: "seconds between calls 60 300" }).waitFor();
    await presses.done();
    await entry.getByRole("row", { name: "unknown outcomes resend hold" }).waitFor();
    await entry.getByText("demo@example.com").waitFor();
    await entry.getByRole("link", { name: "all by them" }).click();
    await page.getByRole("link", { name: "Rules about recipients changed" }).first().waitFor();
    assert.match(page.url(), /audit\?actor=user/);
  }, { mayComplain: true }),
);

Deno.test(consoleTest(
  "console: the settings name the cell of a company, unless it is the first one",
  async (stack, console) => {
    const { page } = console;
    const ofCell = "0192f8a0-1111-8007-8333-444455556666";
    await console.logIn();
    await console.open("settings");
    await page.getByText("Numbers to send from").waitFor();
    assert.equal(await page.getByText(/^Cell \d/).count(), 0);
    await page.route(/\/manage\/companies$/, async (route) => {
      const response = await route.fetch();
      const { companies: [company] } = await response.json();
      await route.fulfill({ response, json: { companies: [company, { ...company, company_id: ofCell }] } });
    });
    await page.route(
      new RegExp(`/companies/${ofCell}/`),
      (route) => route.continue({ url: route.request().url().replace(ofCell, stack.demo.company_id) }),
    );

    await page.goto(`${stack.consoleUrl}/#/${ofCell}/settings`);
    await page.reload();

    await page.getByText("Cell 7: the database with your company’s data.").waitFor();
  },
));

Deno.test(consoleTest(
  "console: of two tabs that change the caps, the later one sees the other's change first",
  async (stack, console) => {
    const { page } = console;
    const setCaps = (max: number, days: number) =>
      manage(stack, "PUT", "/settings/frequency_caps", { frequency_caps: [{ channel: "any", max, days }] });
    await setCaps(3, 7);
    await console.logIn();
    await console.open("settings");
    await page.getByText("at most 3 per person in 7 days").waitFor();
    await page.getByRole("button", { name: "Add a cap" }).click();
    const form = page.getByRole("dialog", { name: "Add a cap" });
    await form.getByLabel("In days").fill("30");

    await setCaps(1, 1);
    await form.getByRole("button", { name: "Save" }).click();

    await form.getByText("Somebody else changed this").waitFor();
    await form.getByRole("button", { name: "Reload" }).click();
    await page.getByText("at most 1 per person in a day").waitFor();
    await form.waitFor({ state: "detached" });
    const presses = console.countPresses("add a cap");
    await page.getByRole("button", { name: "Add a cap" }).click();
    await form.getByLabel("In days").fill("30");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("at most 3 per person in 30 days").waitFor();
    await presses.done();
    await page.getByText("at most 1 per person in a day").waitFor();

    // Its own changes do not stand in its way.
    const cap = page.getByRole("listitem").filter({ hasText: "in 30 days" });
    await cap.getByRole("button", { name: "Remove" }).click();
    await cap.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await cap.waitFor();
  },
  { mayComplain: true },
));
