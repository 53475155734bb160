/**
 * A sandbox in a process of its own, for tests that kill it. Prints its address, then runs until killed.
 *
 * @module
 */
import { startSandbox } from "../../../local/sandbox/start.ts";
import { TEST_TEMPLATES } from "./test_templates.ts";
import { APP_SECRET, NUMBER_ID, TOKEN, WABA_ID } from "./with_platform.ts";

const { url } = await startSandbox({
  port: 0,
  directory: Deno.env.get("SANDBOX_TEST_DIRECTORY")!,
  webhookUrl: null,
  appSecret: APP_SECRET,
  accounts: [{
    wabaId: WABA_ID,
    token: TOKEN,
    numbers: [{
      phoneNumberId: NUMBER_ID,
      displayNumber: "15550001111",
      verifiedName: "Example",
      ratePerSecond: 0,
    }],
    templates: TEST_TEMPLATES,
  }],
});
Deno.stdout.writeSync(new TextEncoder().encode(`${url}\n`));
