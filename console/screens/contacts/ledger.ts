import type { List } from "../../data/list.ts";
import { useRows } from "../../data/rows.ts";
import { type Consent, listConsents, listSuppressions, type Suppression } from "../../data/sdk.ts";

const PAGE = 200;

/** The filters of both lists, as they are in the address. */
export type LedgerFilters = Partial<
  Record<"number" | "channel" | "source" | "lifted" | "status", string | undefined>
>;

/** Reads who does not want to be written to, newest first. */
export function useSuppressions({ number, channel, source, lifted }: LedgerFilters): List<Suppression> {
  const query = { number, channel, source, lifted };
  return useRows(listSuppressions, "suppressions", ({ id }) => id, { query, limit: PAGE });
}

/** Reads who agreed and who took it back, newest first. */
export function useConsents({ number, channel, status }: LedgerFilters): List<Consent> {
  const query = { number, channel, status };
  return useRows(listConsents, "consents", ({ id }) => id, { query, limit: PAGE });
}
