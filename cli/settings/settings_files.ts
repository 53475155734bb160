import { VARIABLES } from "../../supabase/functions/_shared/env.ts";
import { SECTIONS, SETTING_NOTES, type SettingNote } from "../../supabase/functions/_shared/settings.ts";

type Section = keyof typeof SECTIONS;
type Schema = Parameters<typeof SETTING_NOTES.get>[0] & { safeParse(value: unknown): { data?: unknown } };

/** The sections of .env.example, in its order. It leaves out what `deno task start` alone reads. */
const TITLES: Partial<Record<Section, string>> = {
  needed: "Needed. With compose.yaml, POSTGRES_PASSWORD and SERVICE_PASSWORD take the place of DATABASE_URL.",
  optional: "For operator commands, calls and voice widgets.",
  addresses: "Addresses.",
  defaults: "Defaults that few installations change.",
};

/** The names by which one knows a secret. LIVEKIT_API_KEY is the name of a key. */
const IS_SECRET = /SECRET|TOKEN|PASSWORD|HEADERS|^DATABASE_URL$|DB_URL$|SERVICE_ROLE|(?<!^LIVEKIT)_API_KEY$/;

/** A secret that the client of Postgres reads. */
const OF_POSTGRES = "PGPASSWORD";

/** The part of each file that the settings make, and what it should be. */
const PARTS: { path: string; part: RegExp; make: () => string }[] = [
  { path: ".env.example", part: /(?<=^[^\n]*\n\n)[^]*?(?=# For compose\.yaml alone)/, make: makeExample },
  { path: "docs/settings.md", part: /(?<=\n\n)\|[^]*?\|(?=\n\n)/, make: makeTable },
  {
    path: "ops/helm/outbound/values.schema.json",
    part: /(?<="secret": \{\n {6}"enum": \[\n)[^]*?(?=\n {6}\])/,
    make: () =>
      [...VARIABLES.filter((name) => IS_SECRET.test(name)), OF_POSTGRES].map((name) => `        "${name}"`)
        .join(",\n"),
  },
];

/** Returns the files that name the settings, by path, as they should be. */
export async function makeSettingsFiles(root: URL): Promise<Map<string, string>> {
  return new Map(
    await Promise.all(PARTS.map(async ({ path, part, make }) => {
      const text = await Deno.readTextFile(new URL(path, root));
      if (!part.test(text)) throw new Error(`${path} has no place for the settings`);
      return [path, text.replace(part, () => make())] as const;
    })),
  );
}

function makeExample(): string {
  return Object.entries(TITLES).map(([section, title]) => {
    const lines = describe(SECTIONS[section as Section]).map(({ name, about, example, byDefault }) =>
      `# ${plain(about)}:\n${name}=${example ?? byDefault}\n`
    );
    return `# ${title}\n${lines.join("")}\n`;
  }).join("");
}

function makeTable(): string {
  const rows = Object.values(SECTIONS).flatMap(describe).map((
    { name, about, fallback, byDefault },
  ) => [`\`${name}\``, fallback ?? (byDefault && `\`${byDefault}\``), about]);
  const head = ["variable", "default", "what it is"];
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

function describe(section: Record<string, unknown>): (SettingNote & { name: string; byDefault: string })[] {
  return Object.entries(section as Record<string, Schema>).map(([name, schema]) => ({
    ...SETTING_NOTES.get(schema)!,
    name,
    byDefault: String(schema.safeParse(undefined).data ?? ""),
  }));
}

/** Returns a text without its links and marks, as a sentence; a value at its begin stays as it is. */
function plain(markdown: string): string {
  const text = markdown.replace(/ \(\[[^\]]*\]\([^)]*\)\)/g, "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return (text[0]!.toUpperCase() + text.slice(1)).replaceAll("`", "");
}
