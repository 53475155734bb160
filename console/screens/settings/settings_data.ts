import { askWithEtag } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { type Query, useQuery } from "../../data/query.ts";
import { type AllSettings, getSettings } from "../../data/sdk.ts";

/** All settings, and what names them as they are. */
export type Settings = AllSettings & { etag: string };

/** Every section of the settings receives these. */
export interface SectionProps {
  settings: Settings;
  /** Reads them anew. */
  onSaved: () => void;
}

/** Reads all settings of the company. */
export function useSettings(): Query<Settings> {
  const path = { company_id: companyId() };
  return useQuery(`settings ${path.company_id}`, (signal) => askWithEtag(getSettings, { path, signal }));
}

/** Returns the number that was entered; null where nothing was. */
export function numberOrNull(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}
