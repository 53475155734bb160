import type { Command } from "commander";
import { makeVapidKeys } from "../../supabase/functions/_shared/crypto/vapid.ts";
import type { Run } from "../session.ts";

/** `vapid create`. */
export function addVapidCommands(program: Command, run: Run): void {
  const vapid = program.command("vapid").description(
    "manage the keys by which push services know this installation",
  );
  vapid.command("create").description("make a pair of keys for notifications on members' devices")
    .action(() =>
      run(async () => {
        const { publicKey, privateKey } = await makeVapidKeys();
        const json = { OUTBOUND_VAPID_PUBLIC_KEY: publicKey, OUTBOUND_VAPID_PRIVATE_KEY: privateKey };
        return { json, text: Object.entries(json).map((pair) => pair.join("=")).join("\n") };
      })
    )
    .addHelpText("after", "\nExample:\n  deno task admin vapid create");
}
