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
const IS_SECRET =
  /SECRET|TOKEN|PASSWORD|PRIVATE_KEY|HEADERS|^DATABASE_URL$|DB_URL$|SERVICE_ROLE|(?<!^LIVEKIT)_API_KEY$/;

/** A secret that the client of Postgres reads. */
const OF_POSTGRES = "PGPASSWORD";

const TABLE_START = "| variable";

/** The part of each file that the settings make: the texts around it, and what it should be. */
const PARTS: { path: string; after: string; before: string; make: () => string }[] = [
  { path: ".env.example", after: "\n\n", before: "# For compose.yaml alone", make: makeExample },
  { path: "docs/settings.md", after: `\n\n${TABLE_START}`, before: "\n\n", make: makeTable },
  {
    path: "ops/helm/outbound/values.schema.json",
    after: '"secret": {\n      "enum": [\n',
    before: "\n      ]",
    make: () =>
      [...VARIABLES.filter((name) => IS_SECRET.test(name)), OF_POSTGRES].map((name) => `        "${name}"`)
        .join(",\n"),
  },
];

/** Returns the files that name the settings, by path, as they should be. */
export async function makeSettingsFiles(root: URL): Promise<Map<string, string>> {
  return new Map(
    await Promise.all(PARTS.map(async ({ path, after, before, make }) => {
      const text = await Deno.readTextFile(new URL(path, root));
      const start = text.indexOf(after) + after.length;
      const end = text.indexOf(before, start);
      if (start < after.length || end < 0) {
        throw new Error(`${path} has no marks between which the settings go`);
      }
      return [path, text.slice(0, start) + make() + text.slice(end)] as const;
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
  const table = [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
  return table.slice(TABLE_START.length);
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
  const withoutReferences = markdown.split(" ([").map((part, index) =>
    index === 0 ? part : part.slice(part.indexOf("))") + 2)
  ).join("");
  const text = withoutReferences.split("[").map((part, index) =>
    index === 0 ? part : part.slice(0, part.indexOf("](")) + part.slice(part.indexOf(")") + 1)
  ).join("");
  return (text[0]!.toUpperCase() + text.slice(1)).replaceAll("`", "");
}
