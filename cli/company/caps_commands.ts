import { type Command, InvalidArgumentError, Option } from "commander";
import {
  type FrequencyCap,
  frequencyCapSchema,
} from "../../supabase/functions/_shared/scheduling/sending_rules.ts";
import { type Column, renderTable } from "../terminal/render.ts";
import type { Run, Session } from "../session.ts";
import { uuid } from "../terminal/values.ts";
import { addFrequencyCap, removeFrequencyCaps, sendingRulesOf } from "./sending_rules.ts";

interface CapsOptions {
  add?: FrequencyCap;
  off?: true;
}

const COLUMNS: Column<FrequencyCap>[] = [
  ["CHANNEL", ({ channel }) => channel],
  ["MARKETING MESSAGES", ({ max }) => max],
  ["DAYS", ({ days }) => days],
];

/** `company caps`. */
export function addCapsCommand(company: Command, run: Run): void {
  company.command("caps").description("show or change how many marketing messages a person may get")
    .argument("<company-id>", "the company's id", uuid)
    .option("--add <cap>", "add a cap per person, such as '3 per 7 days' or '1 per day voice'", frequencyCap)
    .addOption(new Option("--off", "remove all caps").conflicts("add"))
    .action((companyId: string, options: CapsOptions) =>
      run(async (session) => {
        const caps = await changeCaps(session, companyId, options);
        return {
          json: { company_id: companyId, frequency_caps: caps },
          text: renderTable(COLUMNS, caps, "No caps: a person may get any number of marketing messages"),
        };
      })
    )
    .addHelpText(
      "after",
      `
Examples:
  deno task admin company caps "$COMPANY"
  deno task admin company caps "$COMPANY" --add "3 per 7 days"
  deno task admin company caps "$COMPANY" --add "1 per day voice"
  deno task admin company caps "$COMPANY" --off`,
    );
}

async function changeCaps(
  session: Session,
  companyId: string,
  { add: cap, off }: CapsOptions,
): Promise<FrequencyCap[]> {
  if (off) return await removeFrequencyCaps(session, { companyId });
  if (cap) return await addFrequencyCap(session, { companyId, cap });
  return (await sendingRulesOf(session, companyId)).caps;
}

const CAP = /^(\d+) per (?:(\d+) )?days?(?: (any|whatsapp|voice))?$/;

/** Reads a cap, such as `3 per 7 days` or `1 per day voice`. */
export function frequencyCap(value: string): FrequencyCap {
  const [, max, days = "1", channel = "any"] = CAP.exec(value.trim()) ?? [];
  const cap = frequencyCapSchema.safeParse({ channel, max: Number(max), days: Number(days) });
  if (cap.success) return cap.data;
  throw new InvalidArgumentError(
    "Expected a cap such as '3 per 7 days' or '1 per day voice': at most 1000 messages and 30 days.",
  );
}
