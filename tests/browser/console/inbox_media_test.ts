import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { eventually } from "../../setup/eventually.ts";
import { shareConsole } from "./console_page.ts";
import { sendOnWhatsApp, writeOnWhatsApp } from "./people.ts";

const consoleTest = shareConsole();

/** A picture of one red pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

Deno.test(consoleTest(
  "console: opens the picture, hears the voice message and saves the document that a person sent",
  async (stack, console) => {
    const { page } = console;
    const number = "34600241001";
    await sendOnWhatsApp(stack, number, {
      type: "image",
      caption: "My receipt",
      base64: PNG,
      mime_type: "image/png",
    });
    await sendOnWhatsApp(stack, number, {
      type: "audio",
      base64: btoa("OggS a voice"),
      mime_type: "audio/ogg",
    });
    await sendOnWhatsApp(stack, number, {
      type: "document",
      filename: "invoice.pdf",
      base64: btoa("%PDF-1.4 an invoice"),
      mime_type: "application/pdf",
    });
    await console.logIn();
    await console.open("inbox");
    await page.getByRole("link", { name: new RegExp(number) }).click();
    const log = page.getByRole("log");

    const presses = console.countPresses("open a picture that a person sent");
    await log.getByRole("button", { name: "Open: Picture" }).click();
    const dialog = page.getByRole("dialog", { name: "Picture" });
    await eventually(async () =>
      assert.equal(await page.evaluate("document.querySelector('dialog img')?.naturalWidth"), 1)
    );
    await presses.done();
    await dialog.getByRole("button", { name: "Close" }).click();
    await log.getByText("My receipt").waitFor();
    await log.getByLabel("Voice message").waitFor();
    const saved = page.waitForEvent("download");
    await log.getByRole("button", { name: "Download: invoice.pdf" }).click();
    assert.equal((await saved).suggestedFilename(), "invoice.pdf");
    await log.getByText("PDF · 1 kB").waitFor();
  },
));

Deno.test(consoleTest(
  "console: says that a file is gone, too large, or could not be loaded, and loads it when that is over",
  async (stack, console) => {
    const { page } = console;
    const number = "34600241002";
    await sendOnWhatsApp(stack, number, { type: "image", base64: PNG, mime_type: "image/png" });
    await console.logIn();
    const refuse = (status: number, error: string) =>
      page.route(/\/replies\/[^/]+\/media$/, (route) =>
        route.fulfill({
          status,
          json: { error, message: "Refused" },
          headers: { "Access-Control-Allow-Origin": stack.consoleUrl },
        }));
    const says = async (text: string) => {
      await page.reload();
      await page.getByRole("log").getByText(text).waitFor();
      await page.unrouteAll();
    };
    await console.open("inbox");
    await page.getByRole("link", { name: new RegExp(number) }).click();
    await page.getByRole("button", { name: "Open: Picture" }).waitFor();

    await refuse(404, "not_found");
    await says("The file is gone");
    await refuse(413, "payload_too_large");
    await says("The file is too large");
    await refuse(400, "validation_failed");
    await says("The file could not be loaded.");
    await page.getByRole("log").getByRole("button", { name: "Try again" }).click();
    await page.getByRole("button", { name: "Open: Picture" }).waitFor();
  },
  { mayComplain: true },
));

Deno.test(consoleTest(
  "console: sends pictures and documents that are chosen, dropped and pasted, the text as a caption",
  async (stack, console) => {
    const { page } = console;
    const number = "34600241003";
    await writeOnWhatsApp(stack, number, "Send me the menu");
    await console.logIn();
    await console.open("inbox");
    await page.getByRole("link", { name: new RegExp(number) }).click();
    const send = page.getByRole("button", { name: "Send", exact: true });
    const files = page.getByRole("list", { name: "Attached files" });

    await page.locator("input[type=file]").setInputFiles([
      {
        name: "menu.pdf",
        mimeType: "application/pdf",
        buffer: Buffer.from("%PDF-1.4 menu"),
      },
      { name: "page.html", mimeType: "text/html", buffer: Buffer.from("<b>") },
    ]);
    await files.getByText("1 kB, ready").waitFor();
    await files.getByText("WhatsApp takes JPEG").waitFor();
    assert.equal(await send.isDisabled(), true);
    await page.getByRole("button", { name: "Remove page.html" }).click();
    await page.getByRole("textbox", { name: "Write a reply" }).fill("Here it is");
    await send.click();
    const log = page.getByRole("log");
    await log.getByRole("button", { name: "Download: menu.pdf" }).waitFor();
    await log.getByText("Here it is").waitFor();
    await log.getByText(/^(Delivered|Read)$/).waitFor();

    for (const kind of ["drop", "paste"]) {
      await page.evaluate(
        `{
          const field = document.querySelector(".composer textarea");
          const bytes = Uint8Array.from(atob("${PNG}"), (letter) => letter.charCodeAt(0));
          const data = new DataTransfer();
          data.items.add(new File([bytes, "${kind}"], "${kind}.png", { type: "image/png" }));
          const init = { bubbles: true, cancelable: true };
          field.dispatchEvent("${kind}" === "drop"
            ? new DragEvent("drop", { ...init, dataTransfer: data })
            : new ClipboardEvent("paste", { ...init, clipboardData: data }));
        }`,
      );
      await files.getByText(`${kind}.png`).waitFor();
      await files.getByText("1 kB, ready").waitFor();
      await send.click();
      await files.waitFor({ state: "detached" });
    }
    await eventually(async () =>
      assert.equal(await log.getByRole("button", { name: "Open: Picture" }).count(), 2)
    );
    const phone = await (await fetch(`${stack.sandboxUrl}/sandbox/phones/${number}`)).json();
    assert.match(JSON.stringify(phone), /Here it is/);
  },
));
