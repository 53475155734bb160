/**
 * A sandbox with a voice account in a process of its own, for tests that kill it. Prints its address, then runs
 * until killed.
 *
 * @module
 */
import { startSandbox } from "../../../../local/sandbox/start.ts";
import { AGENT_ID, API_KEY, SECRET, TWILIO_ID } from "./with_voice.ts";

const { url } = await startSandbox({
  port: 0,
  directory: Deno.env.get("SANDBOX_TEST_DIRECTORY")!,
  webhookUrl: null,
  appSecret: "unused",
  accounts: [],
  voice: {
    webhookUrl: null,
    webhookSecret: SECRET,
    accounts: [{
      id: "shop",
      apiKey: API_KEY,
      concurrency: 0,
      agents: [{ agentId: AGENT_ID, name: "Reminder", firstMessage: "Hello." }],
      phoneNumbers: [{ phoneNumberId: TWILIO_ID, phoneNumber: "+15550001111", provider: "twilio" }],
    }],
  },
});
Deno.stdout.writeSync(new TextEncoder().encode(`${url}\n`));
