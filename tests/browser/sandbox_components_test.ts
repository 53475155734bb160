import assert from "node:assert/strict";
import { COMPONENT_MESSAGES } from "../local/sandbox/messages/component_messages.ts";
import { withComponents } from "../local/sandbox/messages/with_components.ts";
import { eventually } from "../setup/eventually.ts";
import { assertAccessible, withBrowserPage } from "./browser_page.ts";

const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="3"><rect width="4" height="3" fill="green"/></svg>';
const VIEWPORTS = [{ width: 1280, height: 900 }, { width: 360, height: 740 }];

for (const viewport of VIEWPORTS) {
  Deno.test(`sandbox page shows every kind of component, ${viewport.width} pixels wide`, () =>
    withComponents(({ url, control, sendTemplate }) =>
      withBrowserPage({ what: "components on the sandbox page", viewport }, async (page) => {
        await page.route(
          "https://example.com/**",
          (route) => route.fulfill({ contentType: "image/svg+xml", body: PICTURE }),
        );
        await page.goto(url);
        await page.waitForSelector(".live.on");
        for (const [index, name] of Object.keys(COMPONENT_MESSAGES).entries()) {
          await sendTemplate(name, { to: `+57300111223${index}` });
        }
        await page.locator(".phone").nth(3).waitFor();
        const chat = (name: string) => page.locator(".message", { hasText: `${name} · en_US` });

        assert.equal(await chat("monthly_report").locator("h3").textContent(), "Your points in June");

        const location = chat("store_visit").locator(".location");
        assert.match(
          await location.textContent() ?? "",
          /Example TradersPuerta del Sol 1, Madrid40\.4168, -3\.7038/,
        );
        assert.match(
          await chat("store_visit").locator(".flow").textContent() ?? "",
          /Choose another daytoken visit-1001/,
        );

        const offer = chat("spring_offer").locator(".offer");
        assert.match(
          await offer.textContent() ?? "",
          /Spring offer!Code: SPRING25Ends in \d+ days \d\d:\d\d:\d\d/,
        );
        await chat("spring_offer").getByRole("button", { name: "SPRING25" }).waitFor();

        const cards = chat("new_arrivals").locator(".cards");
        await cards.scrollIntoViewIfNeeded();
        assert.equal(await cards.locator(".card").count(), 3);
        assert.match(await cards.locator(".card").nth(1).textContent() ?? "", /Aloe vera, for € 12 only/);
        await cards.focus();
        await page.keyboard.press("ArrowRight");
        await eventually(async () => assert.ok(await cards.evaluate((list) => list.scrollLeft) > 0));

        assert.ok(
          await page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
          "nothing is wider than the page",
        );
        await assertAccessible(page.mainFrame());
        await cards.locator(".card").nth(1).getByRole("button", { name: "More about it" }).click();
        await eventually(async () => {
          const { body } = await control("GET", "phones/573001112233");
          assert.equal(body.inbound.at(-1)?.text, "More about it");
        });
      })
    ));
}
