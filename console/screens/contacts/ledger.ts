import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { given } from "../../data/given.ts";
import { type List, useList } from "../../data/list.ts";
import {
  type Consent,
  listConsents,
  type ListConsentsData,
  listSuppressions,
  type ListSuppressionsData,
  type Suppression,
} from "../../data/sdk.ts";

const PAGE = 200;

/** The filters of both lists, as they are in the address. */
export type LedgerFilters = Partial<
  Record<"number" | "channel" | "source" | "lifted" | "status", string | undefined>
>;

/** Reads who does not want to be written to, newest first. */
export function useSuppressions({ number, channel, source, lifted }: LedgerFilters): List<Suppression> {
  const company_id = companyId();
  return useList<Suppression>({
    key: `suppressions ${company_id} ${number} ${channel} ${source} ${lifted}`,
    idOf: ({ id }) => id,
    async read(after, signal) {
      const query = given<ListSuppressionsData["query"]>({
        ...{ number, channel, source, lifted, after },
        limit: PAGE,
      });
      const page = await ask(
        listSuppressions({ client: api(), path: { company_id }, query, signal }),
      );
      return { rows: page.suppressions, next: page.next };
    },
  });
}

/** Reads who agreed and who took it back, newest first. */
export function useConsents({ number, channel, status }: LedgerFilters): List<Consent> {
  const company_id = companyId();
  return useList<Consent>({
    key: `consents ${company_id} ${number} ${channel} ${status}`,
    idOf: ({ id }) => id,
    async read(after, signal) {
      const query = given<ListConsentsData["query"]>({
        ...{ number, channel, status, after },
        limit: PAGE,
      });
      const page = await ask(listConsents({ client: api(), path: { company_id }, query, signal }));
      return { rows: page.consents, next: page.next };
    },
  });
}
