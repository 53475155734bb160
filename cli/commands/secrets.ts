import type { Command } from "commander";
import { countSecrets, type SecretsOfKey } from "../actions/count_secrets.ts";
import { type RotatedSecrets, rotateSecrets, type UnreadableSecret } from "../actions/rotate_secrets.ts";
import { type Column, renderTable } from "../output/render_table.ts";
import { snakeKeys } from "../output/snake_keys.ts";
import { startProgress } from "../output/start_progress.ts";
import type { Run } from "./answer.ts";

const KEYS: Column<SecretsOfKey>[] = [
  ["KEY", (row) => row.key_id],
  ["STATE", (row) => row.state],
  ["ACCESS KEYS", (row) => row.access_keys],
  ["SENDER TOKENS", (row) => row.sender_tokens],
  ["WEBHOOK SECRETS", (row) => row.webhook_secrets],
  ["CANARY", (row) => row.canary],
];

const UNREADABLE: Column<UnreadableSecret>[] = [
  ["UNREADABLE", (row) => row.kind],
  ["COMPANY", (row) => row.companyId],
  ["ID", (row) => row.id],
  ["REASON", (row) => row.reason],
];

/** `secrets status | rotate`. */
export function addSecretsCommands(program: Command, run: Run): void {
  const secrets = program.command("secrets").description(
    "what is sealed with SECRETS_KEY, and with which key",
  );
  secrets.command("status").description("how many secrets each key seals")
    .action(() =>
      run(async ({ sql, sealer }) => {
        const keys = await countSecrets({ sql, sealer: sealer() });
        return { json: { keys }, text: renderTable(KEYS, keys, "") };
      })
    )
    .addHelpText("after", "\nExample:\n  deno task admin secrets status");
  secrets.command("rotate").description("seal everything again with the first key of SECRETS_KEY")
    .action(() =>
      run(async ({ sql, sealer }) => {
        const progress = startProgress();
        const onProgress = (done: number, total: number) => progress.update(done, total, "secrets");
        const rotated = await rotateSecrets({ sql, sealer: sealer(), onProgress }).finally(progress.stop);
        const json = { ...snakeKeys(rotated), unreadable: rotated.unreadable.map(snakeKeys) };
        return { json, text: describe(rotated), problem: problemOf(rotated) };
      })
    )
    .addHelpText("after", '\nExample:\n  SECRETS_KEY="$NEW_KEY,$OLD_KEY" deno task admin secrets rotate');
}

function describe({ keyId, sealed, unreadable, oldKeysMayBeDropped }: RotatedSecrets): string {
  const { access_keys, sender_tokens, webhook_secrets } = sealed;
  const lines = [
    `Sealed again with the key ${keyId}: ${access_keys} access keys, ${sender_tokens} sender tokens, ` +
    `${webhook_secrets} webhook secrets`,
  ];
  if (oldKeysMayBeDropped) {
    lines.push(
      "No other key is needed: when every process has this one first, SECRETS_KEY may do without them",
    );
  }
  if (unreadable.length > 0) lines.push(renderTable(UNREADABLE, unreadable, ""));
  return lines.join("\n");
}

function problemOf({ unreadable, remaining }: RotatedSecrets): string | undefined {
  if (remaining > unreadable.length) {
    return `${remaining} secrets are still sealed with other keys, because they changed meanwhile: rotate again`;
  }
  if (unreadable.length === 0) return undefined;
  return `${unreadable.length} secrets cannot be opened with any key of SECRETS_KEY: add their key, or make them anew`;
}
