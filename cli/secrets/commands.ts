import type { Command } from "commander";
import { startProgress } from "../terminal/progress.ts";
import { type Column, renderTable, snakeKeys } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import {
  addUp,
  countSecrets,
  type RotatedSecrets,
  rotateSecrets,
  type SecretsOfKey,
  type UnreadableSecret,
} from "./actions.ts";

const KEYS: Column<SecretsOfKey & { cell: number }>[] = [
  ["CELL", (row) => row.cell],
  ["KEY", (row) => row.key_id],
  ["STATE", (row) => row.state],
  ["ACCESS KEYS", (row) => row.access_keys],
  ["SENDER TOKENS", (row) => row.sender_tokens],
  ["WEBHOOK SECRETS", (row) => row.webhook_secrets],
  ["ERASURE KEYS", (row) => row.erasure_keys],
  ["IDENTITY SECRETS", (row) => row.identity_secrets],
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
    "manage the secrets that OUTBOUND_SECRETS_KEY seals",
  );
  secrets.command("status").description("count the secrets that each key seals")
    .action(() =>
      run(async ({ inEachCell }) => {
        const found = await inEachCell(({ sql, sealer }) => countSecrets({ sql, sealer: sealer() }));
        const keys = [...found].flatMap(([cell, counts]) => counts.map((count) => ({ cell, ...count })));
        return { json: { keys }, text: renderTable(KEYS, keys, "") };
      })
    )
    .addHelpText("after", "\nExample:\n  deno task admin secrets status");
  secrets.command("rotate").description("reseal all secrets with the first key of OUTBOUND_SECRETS_KEY")
    .action(() =>
      run(async ({ cells, inEachCell }) => {
        const progress = startProgress();
        const onProgress = (done: number, total: number) => progress.update(done, total, "secrets");
        const done = await inEachCell(({ sql, sealer }) =>
          rotateSecrets({ sql, sealer: sealer(), onProgress })
        ).finally(progress.stop);
        const sum = addUp([...done.values()]);
        // Another cell may still need them.
        const isWhole = done.size === cells.size;
        const rotated = { ...sum, oldKeysMayBeDropped: sum.oldKeysMayBeDropped && isWhole };
        const json = { ...snakeKeys(rotated), unreadable: rotated.unreadable.map(snakeKeys) };
        return { json, text: describe(rotated), problem: problemOf(rotated) };
      })
    )
    .addHelpText(
      "after",
      '\nExample:\n  OUTBOUND_SECRETS_KEY="$NEW_KEY,$OLD_KEY" deno task admin secrets rotate',
    );
}

function describe({ keyId, sealed, unreadable, oldKeysMayBeDropped }: RotatedSecrets): string {
  const { access_keys, sender_tokens, webhook_secrets, erasure_keys, identity_secrets } = sealed;
  const lines = [
    `Resealed with the key ${keyId}: ${access_keys} access keys, ${sender_tokens} sender tokens, ` +
    `${webhook_secrets} webhook secrets, ${erasure_keys} erasure keys, ${identity_secrets} identity secrets`,
  ];
  if (oldKeysMayBeDropped) {
    lines.push(
      "No other key is needed: once every process has this key first, remove the others from OUTBOUND_SECRETS_KEY",
    );
  }
  if (unreadable.length > 0) lines.push(renderTable(UNREADABLE, unreadable, ""));
  return lines.join("\n");
}

function problemOf({ unreadable, remaining }: RotatedSecrets): string | undefined {
  if (remaining > unreadable.length) {
    return `${remaining} secrets changed meanwhile and are still sealed with other keys: rotate again`;
  }
  if (unreadable.length === 0) return undefined;
  return `${unreadable.length} secrets cannot be opened with any key of OUTBOUND_SECRETS_KEY: add their key, or replace them`;
}
