/**
 * Uses what the service loads when it is first needed: the calendars of holidays, LiveKit's library, the files of the
 * docs page. Loaded before `serve` by `permissions_test.ts`, so that it runs with its permissions.
 *
 * @module
 */
import { createDocsPage } from "../../cli/docs/docs_page.ts";
import { roomToken } from "../../supabase/functions/_shared/gateways/realtime.ts";
import { dayNumber, loadHolidays } from "../../supabase/functions/_shared/scheduling/holidays.ts";

const isHoliday = await loadHolidays();
if (!isHoliday("ES", dayNumber("2026-12-25"))) throw new Error("Christmas is no holiday");

const realtime = { url: "wss://127.0.0.1:9", apiKey: "key", apiSecret: "-".repeat(32) };
await roomToken(realtime, { room: "room", identity: "visitor" });

const docs = createDocsPage();
for (const file of ["swagger-ui-bundle.js", "swagger-ui.css"]) {
  const response = await docs(new Request(`http://localhost/functions/v1/docs/${file}`));
  if ((await response!.text()).length < 100_000) throw new Error(`${file} is empty`);
}
