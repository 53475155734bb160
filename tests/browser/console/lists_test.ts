import assert from "node:assert/strict";
import { manage, shareConsole } from "./console_page.ts";

const consoleTest = shareConsole();

Deno.test(consoleTest(
  "console: puts a condition together with a live count, saves it, shows who meets it, and uses it in a campaign",
  async (stack, console) => {
    const { page } = console;
    const people = [
      ["Cora", { country: "ES", tags: ["cond"], attributes: { score: 12 } }],
      ["Dani", { country: "PT", tags: ["cond"], attributes: { score: 3 } }],
      ["Edu", { country: "ES", tags: ["cond"], attributes: { score: 3 } }],
    ] as const;
    for (const [index, [name, fields]] of people.entries()) {
      const addresses = [{ kind: "number", address: `3460026000${index}` }];
      await manage(stack, "POST", "/contacts", { name, addresses, ...fields });
    }
    await manage(stack, "POST", "/contacts/suppressions", { suppressions: [{ number: "34600260002" }] });
    await console.logIn();
    await console.open("lists");
    await page.getByRole("link", { name: "New list by condition" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Spaniards or good ones");
    await page.getByText("Fill in every test").waitFor();
    const figure = (name: string, value: string) =>
      page.getByRole("status").locator(".figure", { hasText: name }).getByText(value, { exact: true })
        .waitFor();
    await page.getByLabel("Value").fill("cond");
    await figure("People", "3");
    await figure("Opted out", "1");
    await page.getByRole("button", { name: "Add a group" }).click();
    const group = page.getByRole("group", { name: "Tests" }).last();
    await group.getByLabel("What").selectOption({ label: "Country" });
    await group.getByLabel("Value").selectOption({ label: "Spain" });
    await figure("People", "2");
    await group.getByRole("button", { name: "Add a test" }).click();
    await group.getByLabel("What").last().selectOption({ label: "score" });
    await group.getByLabel("How").last().selectOption({ label: "is less than" });
    await group.getByLabel("Value").last().fill("5");
    await figure("People", "3");
    await group.getByLabel("Who belongs to it").selectOption({ label: "All of these are true" });
    await figure("People", "1");

    await page.getByRole("button", { name: "Save", exact: true }).click();

    await page.getByRole("heading", { name: "Spaniards or good ones" }).waitFor();
    await page.getByText("Tag is “cond” and (Country is “Spain” and score is less than “5”)").waitFor();
    await page.getByRole("link", { name: "Edu" }).waitFor();
    const { lists } = await manage(stack, "GET", "/lists");
    assert.deepEqual(lists[0].condition, {
      all: [
        { field: "tag", op: "is", value: "cond" },
        {
          all: [{ field: "country", op: "is", value: "ES" }, {
            field: "attribute.score",
            op: "less",
            value: 5,
          }],
        },
      ],
    });
    await page.getByRole("button", { name: "Change" }).click();
    await page.getByRole("button", { name: "Remove this group" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("link", { name: "Cora" }).waitFor();
    await page.getByRole("link", { name: "Use in a campaign" }).click();
    await page.getByRole("heading", { name: "New campaign" }).waitFor();
    assert.match(page.url(), new RegExp(`list=${lists[0].list_id}`));
  },
));

Deno.test(consoleTest(
  "console: makes a list, adds people that it finds, renames and deletes it",
  async (stack, console) => {
    const { page } = console;
    const { contact_id } = await manage(stack, "POST", "/contacts", {
      name: "Gala Font",
      addresses: [{ kind: "number", address: "34600261001" }],
    });
    await console.logIn();
    await console.open("lists");
    await page.getByRole("button", { name: "New list" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Friends");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText("Nobody is on it").waitFor();
    await page.getByRole("button", { name: "Add people" }).click();
    const dialog = page.getByRole("dialog", { name: "Add people to “Friends”" });
    await dialog.getByLabel("Search").fill("600 261 001");
    await dialog.getByRole("button", { name: /Gala Font/ }).click();
    await dialog.getByText("1 added: Gala Font").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();

    await page.getByRole("link", { name: "Gala Font" }).waitFor();

    assert.equal((await manage(stack, "GET", `/contacts/${contact_id}`)).list_ids.length, 1);
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Old friends");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Old friends" }).waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("The list is deleted.").waitFor();
    await page.getByText("No lists yet").or(page.getByRole("heading", { name: "Lists" })).first().waitFor();
    assert.ok(
      !(await manage(stack, "GET", "/lists")).lists.some(({ name }: { name: string }) =>
        name === "Old friends"
      ),
    );
  },
));

Deno.test(consoleTest(
  "console: keeps people from messages once it is switched on, adds an attribute, and shows the secret for visitors",
  async (stack, console) => {
    const { page } = console;
    await console.logIn();
    await console.open("settings");
    await page.getByLabel("Keep people from messages").check();
    await page.getByText("Saved.").waitFor();
    assert.equal((await manage(stack, "GET", "/settings")).learn_contacts, true);
    await page.getByRole("button", { name: "Add an attribute" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("renewal day");
    await page.getByRole("dialog").getByLabel("Type").selectOption({ label: "Date" });
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").locator(".error").waitFor();
    await page.getByRole("dialog").getByLabel("Name").fill("renewal_day");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("row", { name: /renewal_day Date/ }).waitFor();

    await page.getByRole("button", { name: "Make a new secret" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Make a new secret" }).click();

    await page.getByText(/^idsec_/).waitFor();
    assert.equal(
      await page.getByText(/^idsec_/).textContent(),
      (await manage(stack, "GET", "/widgets/identity")).secret,
    );
    await manage(stack, "PUT", "/settings", { learn_contacts: false });
  },
));
