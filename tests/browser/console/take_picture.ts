/**
 * Takes the pictures of the README from a demo of its own: `deno task console:picture`. The history behind the figures is
 * made up; everything else was sent.
 *
 * @module
 */
import type { Page } from "playwright-core";
import { fileURLToPath } from "node:url";
import { connect, type Sql } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { startWidgetStack, type WidgetStack } from "../widget_stack.ts";
import { manage, sendCampaign } from "./console_page.ts";
import { writeOnWhatsApp } from "./people.ts";

const IMAGES = fileURLToPath(new URL("../../../docs/images", import.meta.url));

const SIZE = { width: 1280, height: 800 };

const CAMPAIGNS = [["Order updates", 46], ["Autumn offer", 98], ["Appointment reminders", 31]] as const;

const CHATS = [["34600111222", "Where is my order?"], ["447700900123", "Can I come on Friday?"]] as const;

/** Messages of each of the last hours: an office's day. */
const HOURS = [8, 5, 3, 2, 2, 4, 11, 38, 92, 140, 171, 158, 122, 96, 131, 176, 168, 149, 118, 84, 52, 33, 19];

/** Inserts a day of messages, and half as many on the day before, so that there is something to compare with. */
async function makeHistory(sql: Sql, companyId: string): Promise<void> {
  const none = "00000000-0000-0000-0000-000000000000";
  for (const [hour, sent] of HOURS.entries()) {
    for (const [daysAgo, share] of [[0, 1], [1, 0.8]] as const) {
      const [all, failed] = [Math.round(sent * share), Math.round(sent * share * 0.012)];
      await sql`insert into outbound.history
        (company_id, hour, campaign_id, template_id, sender_id, channel, area, reason,
          accepted, sent, delivered, read, replied, failed)
        values (${companyId}, date_trunc('hour', now()) - make_interval(hours => ${
        HOURS.length - hour + 24 * daysAgo
      }),
          ${none}, ${none}, (select id from outbound.senders where company_id = ${companyId} and channel = 'whatsapp'),
          'whatsapp', 'ES', '', ${all}, ${all - failed}, ${Math.round(all * 0.96)}, ${Math.round(all * 0.71)},
          ${Math.round(all * 0.06)}, ${failed})`;
    }
  }
}

async function makeDemo(stack: WidgetStack): Promise<void> {
  const sql = connect(stack.databaseUrl, { max: 1 });
  try {
    await makeHistory(sql, stack.demo.company_id);
  } finally {
    await sql.end();
  }
  for (const [index, [name, recipients]] of CAMPAIGNS.entries()) {
    await sendCampaign(stack, { name, recipients, first: 4_000_000 + 1000 * index });
  }
  for (const [number, text] of CHATS) await writeOnWhatsApp(stack, number, text);
  await manage(stack, "PUT", "/settings/frequency_caps", {
    frequency_caps: [{ channel: "any", max: 3, days: 7 }],
  });
}

async function logIn(page: Page, { consoleUrl, demo }: WidgetStack): Promise<void> {
  await page.goto(consoleUrl, { timeout: 120_000 });
  await page.getByLabel("E-mail").fill(demo.email);
  await page.getByLabel("Password").fill(demo.password);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("button", { name: "Hide" }).click();
  await page.getByRole("link", { name: "Autumn offer" }).waitFor();
}

const stack = await startWidgetStack();
if (stack === undefined) throw new Error("The picture needs Chromium");
try {
  await makeDemo(stack);
  await Deno.mkdir(IMAGES, { recursive: true });
  for (const colorScheme of ["light", "dark"] as const) {
    const window = await stack.browser.newContext({
      locale: "en-GB",
      timezoneId: "Europe/Madrid",
      viewport: SIZE,
      colorScheme,
      deviceScaleFactor: 1.5,
      reducedMotion: "reduce",
    });
    const page = await window.newPage();
    await logIn(page, stack);
    await page.mouse.move(0, 0);
    // The counters of the campaigns come to rest.
    await page.waitForTimeout(10_000);
    await page.screenshot({ path: `${IMAGES}/console-${colorScheme}.png` });
    await window.close();
  }
} finally {
  await stack.close();
}
