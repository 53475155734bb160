/**
 * Reads the file of a campaign's recipients to the end, keeping nothing, and prints what it saw and what it took: one JSON
 * line per campaign. In a process of its own, because memory is measured.
 *
 * @module
 */
import { createServices } from "../../supabase/functions/_shared/services.ts";
import { loadEnv } from "../../supabase/functions/_shared/env.ts";
import { createMainApp, type MainApp } from "../../supabase/functions/main/app.ts";
import { BASE_PATH } from "../setup/http/http.ts";
import { TEST_ENV } from "../setup/stack/services.ts";

export interface Measured {
  lines: number;
  mib: number;
  seconds: number;
  rssBeforeMib: number;
  rssPeakMib: number;
}

const MIB = 1024 * 1024;

async function measure(app: MainApp, access_key: string, campaignId: string): Promise<Measured> {
  const [started, rssBeforeMib] = [performance.now(), Deno.memoryUsage().rss / MIB];
  const seen = { lines: 0, mib: 0, rssPeakMib: rssBeforeMib };
  const path = `/manage/companies/mine/campaigns/${campaignId}/recipients`;
  const url = `http://localhost${BASE_PATH}${path}?${new URLSearchParams({ access_key, format: "csv" })}`;
  const { body } = await app.fetch(new Request(url));
  for await (const part of body!) {
    seen.mib += part.length / MIB;
    seen.lines += part.filter((byte) => byte === 0x0a).length;
    seen.rssPeakMib = Math.max(seen.rssPeakMib, Deno.memoryUsage().rss / MIB);
  }
  return { ...seen, rssBeforeMib, seconds: (performance.now() - started) / 1000 };
}

if (import.meta.main) {
  const [databaseUrl = "", access_key = "", small = "", large = ""] = Deno.args;
  const services = createServices(loadEnv({ ...TEST_ENV, DATABASE_URL: databaseUrl }));
  const app = createMainApp(services);
  for (const campaignId of [small, large]) {
    const measured = await measure(app, access_key, campaignId);
    Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(measured)}\n`));
  }
  await services.close();
}
