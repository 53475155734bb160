import { api, ask } from "../../../data/client.ts";
import { companyId } from "../../../data/company.ts";
import { type Query, useQuery } from "../../../data/query.ts";
import {
  type AudienceCount,
  type Campaign,
  countAudience,
  listCampaigns,
  listContactAttributes,
} from "../../../data/sdk.ts";
import { type Audience, type AudiencePeople, sentAudience } from "../draft.ts";
import { words } from "../../../i18n/words.ts";

const ATTRIBUTE = "attribute.";

/** The fields that every stored person has. */
const FIELDS = ["name", "language", "country", "timezone", "email"];

/** Reads the newest campaigns. */
export function useEarlierCampaigns(): Campaign[] {
  const path = { company_id: companyId() };
  const { data } = useQuery(
    `earlier campaigns ${path.company_id}`,
    async (signal) =>
      (await ask(listCampaigns({ client: api(), path, query: { limit: 50 }, signal }))).campaigns,
  );
  return data ?? [];
}

/** Counts who belongs to an audience now; undefined while it is read, and where it is not chosen yet. */
export function useAudienceCount(
  audience: Audience,
  counted: { channel: "whatsapp" | "voice"; category: "marketing" | "all" },
): Query<AudienceCount | undefined> {
  const path = { company_id: companyId() };
  const body = isChosen(audience) ? { ...sentAudience(audience), ...counted } : undefined;
  return useQuery(
    `audience count ${path.company_id} ${JSON.stringify(body)}`,
    async (signal) => body && await ask(countAudience({ client: api(), path, body, signal })),
  );
}

/** Whether it says whom it means. */
export function isChosen(audience: Audience): boolean {
  if (audience.kind === "list") return audience.listId !== "";
  return audience.kind === "condition" || audience.tag.trim() !== "";
}

/** Returns the people of an audience with the columns that stored people have; undefined while none is chosen. */
export function useStoredPeople(audience: Audience | undefined): AudiencePeople | undefined {
  const path = { company_id: companyId() };
  const { data } = useQuery(
    `attributes ${audience ? path.company_id : ""}`,
    async (signal) =>
      audience && (await ask(listContactAttributes({ client: api(), path, signal }))).attributes,
  );
  if (audience === undefined || !isChosen(audience)) return undefined;
  const columns = [...FIELDS, ...(data ?? []).map(({ name }) => `${ATTRIBUTE}${name}`)];
  return { audience, columns, rows: [] };
}

/** Names a column of stored people. */
export function storedColumnLabel(column: string): string {
  return column.startsWith(ATTRIBUTE)
    ? column.slice(ATTRIBUTE.length)
    : words().compose.audience.columns[column] ?? column;
}
