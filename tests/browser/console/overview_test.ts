import { connect } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { storeRates } from "../../../supabase/functions/_shared/db/campaigns/rates.ts";
import { sendCampaign, shareConsole } from "./console_page.ts";
import { writeOnWhatsApp } from "./people.ts";

const consoleTest = shareConsole();

Deno.test(consoleTest(
  "console: the overview says how the company does, what it costs and what comes next, also after a reload",
  async (stack, { page, logIn, countPresses }) => {
    await importRates(stack.databaseUrl);
    await sendCampaign(stack, { name: "Sent today", recipients: 3, first: 9_400_102 });
    await sendCampaign(stack, { name: "In some years", recipients: 2, first: 9_410_102, later: true });
    await writeOnWhatsApp(stack, "34600270001", "Where is my order?");
    await logIn();

    const figure = (name: string) => page.locator(".figure").filter({ hasText: new RegExp(`^${name}`) });
    for (const isReloaded of [false, true]) {
      if (isReloaded) await page.reload();
      let presses = countPresses("see how the company does");
      await figure("Sent").getByText("3", { exact: true }).waitFor();
      await page.getByRole("link", { name: "In some years" }).first().waitFor();
      await page.getByText("Where is my order?").waitFor();
      await page.getByRole("region", { name: "Latest campaigns" }).getByText("Sent today").waitFor();
      await presses.done();

      presses = countPresses("see the costs");
      await figure("Cost").getByText("€6.00").waitFor();
      await presses.done();
    }
  },
));

/** Lets each delivered message cost two euros. */
async function importRates(databaseUrl: string): Promise<void> {
  const sql = connect(databaseUrl, { max: 1 });
  const rate = { category: "utility", currency: "EUR", rate: "2", effective_from: "2020-01-01" };
  await storeRates(sql, [{ market: "*", ...rate }]).finally(() => sql.end());
}
