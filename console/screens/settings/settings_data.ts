import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { type Query, useQuery } from "../../data/query.ts";
import { type AllSettings, getSettings } from "../../data/sdk.ts";

/** Every section of the settings receives these. */
export interface SectionProps {
  settings: AllSettings;
  /** Reads them anew. */
  onSaved: () => void;
}

/** Reads all settings of the company. */
export function useSettings(): Query<AllSettings> {
  const path = { company_id: companyId() };
  return useQuery(
    `settings ${path.company_id}`,
    (signal) => ask(getSettings({ client: api(), path, signal })),
  );
}

/** Returns the number that was entered; null where nothing was. */
export function numberOrNull(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}
