import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Locator } from "playwright-core";
import { eventually } from "../../setup/eventually.ts";
import { manage, sendCampaign, shareConsole } from "./console_page.ts";
import { writeOnWhatsApp } from "./people.ts";

const consoleTest = shareConsole();

Deno.test(consoleTest(
  "console: makes a contact from a national number, and finds it by any spelling and part of the name",
  async (stack, console) => {
    const { page } = console;
    await console.logIn();
    await console.open("contacts");
    await page.getByLabel("Search").fill("(415) 555-2671");
    await page.getByText("Read as +14155552671 (United States).").waitFor();
    await page.getByRole("main").getByRole("button", { name: "New contact" }).last().click();
    const dialog = page.getByRole("dialog", { name: "New contact" });
    await dialog.getByLabel("Name").fill("Marta Gil");
    await dialog.getByLabel("Tags").fill("vip, new");

    await dialog.getByRole("button", { name: "Save" }).click();

    await page.getByRole("heading", { name: "Marta Gil" }).waitFor();
    const { contacts } = await manage(stack, "GET", "/contacts?search=marta");
    assert.deepEqual(contacts[0].addresses, [{ kind: "number", address: "14155552671" }]);
    assert.deepEqual(contacts[0].tags, ["new", "vip"]);
    for (const search of ["555 2671", "márta g"]) {
      await console.open("contacts");
      await page.getByLabel("Search").fill(search);
      await page.getByRole("link", { name: "Marta Gil" }).waitFor();
    }
    await page.getByRole("button", { name: "New contact" }).click();
    await dialog.getByLabel("Number").fill("415 555 2671");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("There is a contact with this number already").waitFor();
    await page.getByRole("heading", { name: "Marta Gil" }).waitFor();
  },
));

Deno.test(consoleTest(
  "console: tags chosen people and undoes it, and adds them to a list and takes them off",
  async (stack, console) => {
    const { page } = console;
    for (const [index, name] of ["Bulk One", "Bulk Two", "Bulk Three"].entries()) {
      const addresses = [{ kind: "number", address: `3460024000${index}` }];
      await manage(stack, "POST", "/contacts", { name, addresses, tags: index === 0 ? ["sale"] : [] });
    }
    const { list_id } = await manage(stack, "POST", "/lists", { name: "Bulk list" });
    const tagged = async () =>
      (await manage(stack, "GET", "/contacts?search=bulk&tag=sale")).contacts.map((each: { name: string }) =>
        each.name
      );
    await console.logIn();
    await console.open("contacts?search=bulk");
    const bar = page.getByRole("toolbar", { name: "Chosen people" });
    const chooseAll = () => page.getByLabel("Select all that are loaded").click();
    await page.getByRole("link", { name: "Bulk Three" }).waitFor();
    await chooseAll();
    await bar.getByText("3 chosen").waitFor();
    await bar.getByRole("button", { name: "Add tags" }).click();
    await page.getByRole("dialog").getByLabel("Tags").fill("sale");

    await page.getByRole("dialog").getByRole("button", { name: "Add tags" }).click();

    await page.getByText("3 people tagged: sale.").waitFor();
    assert.deepEqual(await tagged(), ["Bulk Three", "Bulk Two", "Bulk One"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await eventually(async () => assert.deepEqual(await tagged(), ["Bulk One"]));
    await chooseAll();
    await bar.getByRole("button", { name: "Add to a list" }).click();
    await page.getByRole("dialog").getByLabel("List").selectOption({ label: "Bulk list" });
    await page.getByRole("dialog").getByRole("button", { name: "Add to a list" }).click();
    await page.getByText("3 people added to “Bulk list”.").waitFor();
    await console.open(`lists/${list_id}`);
    await page.getByRole("row", { name: /Bulk Two/ }).getByLabel("Select").click();
    await bar.getByRole("button", { name: "Take off this list" }).click();
    await page.getByText("1 person taken off “Bulk list”.").waitFor();
    await page.getByRole("link", { name: "Bulk Two" }).waitFor({ state: "hidden" });
    assert.equal((await manage(stack, "GET", `/lists/${list_id}`)).count, 2);
  },
));

Deno.test(consoleTest(
  "console: suggests the company's tags wherever one is typed",
  async (stack, console) => {
    const { page } = console;
    const addresses = [{ kind: "number", address: "34600249001" }];
    const tags = ["suggest-a", "suggest-b"];
    const { contact_id } = await manage(stack, "POST", "/contacts", { name: "Suggested", addresses, tags });
    const offered = async (field: Locator): Promise<string[]> => {
      const id = await field.getAttribute("list");
      assert.ok(id);
      const values = await page.locator(`#${id} option`).evaluateAll((options) =>
        options.map((option) => (option as unknown as { value: string }).value)
      );
      return values.filter((value) => value.split(", ").at(-1)!.startsWith("suggest-"));
    };
    const offers = (field: Locator, expected: string[]) =>
      eventually(async () => assert.deepEqual(await offered(field), expected));
    await console.logIn();
    await console.open("contacts");
    await offers(page.getByLabel("Tag", { exact: true }), tags);
    await page.getByRole("button", { name: "New contact" }).click();
    const several = page.getByRole("dialog").getByLabel("Tags");
    await several.fill("suggest-a, su");
    await offers(several, ["suggest-a, suggest-b"]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Discard" }).click();

    await console.open(`contacts/${contact_id}`);

    await offered(page.getByPlaceholder("Add a tag"));
    await console.open("compose");
    await page.getByLabel("Everyone with a tag").click();
    await offers(page.getByLabel("Tag", { exact: true }), tags);
  },
));

Deno.test(consoleTest(
  "console: saves the people that the filters leave as a file",
  async (stack, console) => {
    const { page } = console;
    for (const [index, tag] of ["saved", "saved", "not-saved"].entries()) {
      const addresses = [{ kind: "number", address: `3460024800${index}` }];
      await manage(stack, "POST", "/contacts", { name: `Saved ${index}`, addresses, tags: [tag] });
    }
    await console.logIn();
    await console.open("contacts?tag=saved");
    await page.getByRole("link", { name: "Saved 1" }).waitFor();
    const saved = page.waitForEvent("download");

    await page.getByRole("button", { name: "Save as CSV" }).click();

    const lines = (await Deno.readTextFile((await (await saved).path())!)).trimEnd().split("\r\n");
    assert.deepEqual(lines.slice(1).map((line) => line.split(",")[0]), ["Saved 1", "Saved 0"]);
    await page.getByText("The file is saved. The export is in the audit.").waitFor();
  },
));

Deno.test(consoleTest(
  "console: imports a file with a mapping that is remembered, and saves the rows that do not fit",
  async (stack, console) => {
    const { page } = console;
    await console.logIn();
    await console.open("contacts");
    await page.getByRole("link", { name: "Import" }).click();
    const choose = async (text: string) => {
      const chooser = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Choose a file" }).click();
      await (await chooser).setFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
    };
    await choose("Phone;Full name;Points;Note\n+34 600 241 001;Rosa Vidal;12;x\n12;Nobody;3;y\n");
    await page.getByText("Line 3:").waitFor();
    await page.getByLabel("Points: Fills").selectOption({ label: "New attribute: Points" });
    await page.getByLabel("Points: type").selectOption({ label: "Number" });
    await page.getByText("Check again before you import").waitFor();
    await page.getByRole("button", { name: "Check again" }).click();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save the refused rows" }).click();
    const refused = await Deno.readTextFile((await (await saved).path())!);
    assert.match(
      refused,
      /^\uFEFF?.*Phone;Full name;Points;Note;"Problem"\r\n12;Nobody;3;y;"This is no phone number/,
    );

    await page.getByRole("button", { name: "Import 1 row" }).click();

    await page.getByRole("link", { name: "Go to the contacts" }).waitFor();
    const { contacts } = await manage(stack, "GET", "/contacts?search=rosa");
    assert.deepEqual(contacts[0].attributes, { Points: 12 });
    await page.getByRole("button", { name: "Another file" }).click();
    await choose("Phone;Points\n+34 600 241 002;7\n");
    await page.getByRole("button", { name: "Import 1 row" }).waitFor();
    assert.equal(await page.getByLabel("Points: Fills").inputValue(), "attribute.Points");
  },
));

Deno.test(consoleTest(
  "console: shows a person's timeline, and changes what is known where it stands, but not over another's change",
  async (stack, console) => {
    const { page } = console;
    const number = "15552320001";
    await sendCampaign(stack, { name: "To a contact", recipients: 1, first: 2_320_001 });
    await manage(stack, "PUT", "/contacts/attributes", { attributes: [{ name: "visits", type: "number" }] });
    const { contact_id } = await manage(stack, "POST", "/contacts", {
      name: "Noa Serra",
      addresses: [{ kind: "number", address: number }],
    });
    await writeOnWhatsApp(stack, number, "Is it blue?");
    await console.logIn();

    const presses = console.countPresses("see what a person was sent");
    await console.open(`contacts/${number}`);

    await page.getByRole("heading", { name: "Noa Serra" }).waitFor();
    await page.getByText("Is it blue?").waitFor();
    await page.getByRole("tabpanel").getByRole("link", { name: "To a contact" }).waitFor();
    await page.getByText(/A-1042/).waitFor();
    await presses.done();
    const details = page.getByRole("complementary", { name: "Details" });
    await details.getByRole("button", { name: "Change visits" }).click();
    await details.getByLabel("visits").fill("7");
    await details.getByLabel("visits").press("Enter");
    await details.getByRole("button", { name: "Change visits" }).getByText("7").waitFor();
    await details.getByPlaceholder("Add a tag").fill("blue");
    await details.getByPlaceholder("Add a tag").press("Enter");
    await details.getByRole("link", { name: "blue" }).waitFor();
    await details.getByPlaceholder("Number or e-mail").fill("noa@example.com");
    await details.getByPlaceholder("Number or e-mail").press("Enter");
    await details.getByText("noa@example.com").waitFor();
    const stored = await manage(stack, "GET", `/contacts/${contact_id}`);
    assert.deepEqual([stored.attributes, stored.tags], [{ visits: 7 }, ["blue"]]);

    await manage(stack, "PUT", `/contacts/${contact_id}`, { name: "Noa Serra Vila" });
    await details.getByRole("button", { name: "Change visits" }).click();
    await details.getByLabel("visits").fill("8");
    await details.getByLabel("visits").press("Enter");
    await page.getByText("Somebody else changed this").waitFor();
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByRole("heading", { name: "Noa Serra Vila" }).waitFor();
    assert.deepEqual((await manage(stack, "GET", `/contacts/${contact_id}`)).attributes, { visits: 7 });
  },
  { mayComplain: true },
));

Deno.test(consoleTest(
  "console: merges two contacts after it showed what will be one, sends a template, and deletes",
  async (stack, console) => {
    const { page } = console;
    const { contact_id } = await manage(stack, "POST", "/contacts", {
      name: "Iris Pons",
      addresses: [{ kind: "number", address: "15552330001" }],
    });
    await manage(stack, "POST", "/contacts", {
      ...{ name: "Iris P.", language: "es", tags: ["web"] },
      addresses: [{ kind: "email", address: "iris@example.com" }],
    });
    await console.logIn();
    await console.open(`contacts/${contact_id}`);
    await page.getByRole("button", { name: "Merge" }).click();
    const dialog = page.getByRole("dialog", { name: "Merge another contact into Iris Pons" });
    await dialog.getByLabel("Search").fill("iris@");
    await dialog.getByRole("button", { name: /Iris P\./ }).click();
    await dialog.getByRole("row", { name: /Addresses .*iris@example\.com.*\+15552330001, iris@example\.com/ })
      .waitFor();

    await dialog.getByRole("button", { name: "Merge" }).click();

    await page.getByText("Merged with Iris P.").waitFor();
    const merged = await manage(stack, "GET", `/contacts/${contact_id}`);
    assert.deepEqual([merged.name, merged.language, merged.tags], ["Iris Pons", "es", ["web"]]);
    await page.getByRole("button", { name: "Send a message" }).click();
    const message = page.getByRole("dialog", { name: "New conversation" });
    await message.getByRole("button", { name: "Send it" }).waitFor();
    assert.equal(await message.getByLabel("Phone number").inputValue(), "15552330001");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog", { name: "Delete Iris Pons?" }).getByRole("button", { name: "Delete" })
      .click();
    await page.getByText("Deleted.").waitFor();
    assert.deepEqual((await manage(stack, "GET", "/contacts?search=iris")).contacts, []);
  },
));

Deno.test(consoleTest(
  "console: a viewer sees people, lists and a person, and has nothing to change them with",
  async (stack, console) => {
    const { page } = console;
    const { contact_id } = await manage(stack, "POST", "/contacts", {
      ...{ name: "Only Seen", tags: ["seen"] },
      addresses: [{ kind: "number", address: "34600245001" }],
    });
    const { list_id } = await manage(stack, "POST", "/lists", { name: "Seen list" });
    await manage(stack, "POST", `/lists/${list_id}/members`, { contact_ids: [contact_id] });
    await page.route(/\/manage\/companies$/, async (route) => {
      const response = await route.fetch();
      const { companies } = await response.json();
      const json = { companies: companies.map((each: object) => ({ ...each, role: "viewer" })) };
      await route.fulfill({ response, json });
    });
    await console.logIn();
    const main = page.getByRole("main");
    for (const path of [`contacts?search=seen`, `contacts/${contact_id}`, "lists", `lists/${list_id}`]) {
      await console.open(path);
      await main.getByText(/Only Seen|Seen list/).locator("visible=true").first().waitFor();
      for (
        const name of [
          "New contact",
          "Add",
          "Merge",
          "Delete",
          "New list",
          "Add people",
          "Rename",
          "Send a message",
        ]
      ) {
        assert.equal(await main.getByRole("button", { name, exact: true }).count(), 0, `${path} ${name}`);
      }
      assert.equal(await main.getByRole("checkbox").count(), 0, path);
    }
    await console.open(`contacts/${contact_id}`);
    await main.getByRole("complementary").getByText("Name").waitFor();
    assert.equal(await main.getByRole("button", { name: /^Change/ }).count(), 0);
  },
));
