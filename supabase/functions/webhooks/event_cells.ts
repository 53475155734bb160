import { cellOfCompany, HOME_CELL } from "../_shared/cells.ts";
import { createExpiringMap } from "../_shared/concurrency/expiring_cache.ts";
import { readKnownAccounts } from "../_shared/db/queue/platform_events.ts";
import { readReference, readReplyReference } from "../_shared/dispatching/reference.ts";
import type { WebhookEvents } from "../_shared/gateways/whatsapp/parse_webhook.ts";
import { askEachCell } from "../_shared/http/app/request_cell.ts";
import { type Services, servicesOfAllCells, servicesOfCell } from "../_shared/services.ts";

/** The maximum delay after which an account's events reach a cell that has just added a sender of it. */
const ACCOUNT_MS = 5000;
/** How long a cell that does not answer counts as having the accounts that it had. */
const REMEMBERED_MS = 3_600_000;
const MAX_ACCOUNTS = 50_000;

/** The events of one request of the platform. */
export interface SplitEvents {
  /** The share of each cell. */
  parts: [Services, WebhookEvents][];
  /** Why a cell does not say whether some of them are its own too; undefined where all are known to be in `parts`. */
  failure?: unknown;
}

/**
 * Makes the function that splits the platform's events by cell. A status names the company in its reference. Any other
 * event goes to every cell that has a sender of its account, which all cells are asked once; what no cell knows is cell
 * 0's to judge. A cell that does not answer delays nothing of the others: it counts as having what it had, and what may be
 * its own as well is sent again by the platform because of `failure`.
 */
export function createEventSplitter(services: Services): (events: WebhookEvents) => Promise<SplitEvents> {
  if (services.otherCells.numbers.length === 0) {
    return (events) => Promise.resolve({ parts: [[services, events]] });
  }
  const now = () => services.now().getTime();
  const remembered = createExpiringMap<string, { cells: number[]; freshUntil: number }>({
    ttlMs: REMEMBERED_MS,
    maxEntries: MAX_ACCOUNTS,
    now,
  });

  async function cellsOf(
    accounts: string[],
  ): Promise<{ cells: Map<string, number[]>; failure?: unknown }> {
    const cells = new Map<string, number[]>();
    for (const account of accounts) {
      const known = remembered.get(account);
      if (known !== undefined && now() < known.freshUntil) cells.set(account, known.cells);
    }
    const unknown = accounts.filter((account) => !cells.has(account));
    const responses = unknown.length === 0
      ? []
      : await askEachCell(services, ({ sql }) => readKnownAccounts(sql, unknown));
    const [failure] = responses.flatMap(({ result }) => result.ok ? [] : [result.error]);
    let isCertain = true;
    for (const account of unknown) {
      const before = remembered.get(account)?.cells;
      const found = responses
        .filter(({ cell, result }) => result.ok ? result.value.has(account) : before?.includes(cell))
        .map(({ cell }) => cell);
      const isKnown = failure === undefined || before !== undefined;
      isCertain &&= isKnown;
      cells.set(account, isKnown && found.length === 0 ? [HOME_CELL] : found);
      if (isKnown && found.length > 0) {
        remembered.set(account, { cells: found, freshUntil: now() + ACCOUNT_MS });
      }
    }
    return { cells, failure: isCertain ? undefined : failure };
  }

  return async (events) => {
    const { statuses, templates, accounts, messages, preferences, moves } = events;
    const byAccount = [
      ...statuses.filter(({ reference }) => companyIn(reference) === undefined),
      ...[templates, accounts, messages, preferences, moves].flat(),
    ];
    const { cells, failure } = await cellsOf([...new Set(byAccount.map(({ wabaId }) => wabaId))]);
    const parts = servicesOfAllCells(services).map((each): [Services, WebhookEvents] => {
      const isOfAccount = ({ wabaId }: { wabaId: string }) => cells.get(wabaId)!.includes(each.cell);
      return [each, {
        statuses: statuses.filter((status) => {
          const companyId = companyIn(status.reference);
          return companyId === undefined
            ? isOfAccount(status)
            : servicesOfCell(services, cellOfCompany(companyId)) === each;
        }),
        templates: templates.filter(isOfAccount),
        accounts: accounts.filter(isOfAccount),
        messages: messages.filter(isOfAccount),
        preferences: preferences.filter(isOfAccount),
        moves: moves.filter(isOfAccount),
        ignored: each.cell === HOME_CELL ? events.ignored : 0,
      }];
    });
    return { parts: parts.filter(([, part]) => countEvents(part) > 0), failure };
  };
}

function companyIn(reference: string | null): string | undefined {
  return (readReference(reference) ?? readReplyReference(reference))?.companyId;
}

/** Returns how many events there are, of any kind. */
export function countEvents(
  { statuses, templates, accounts, messages, preferences, moves }: WebhookEvents,
): number {
  return statuses.length + templates.length + accounts.length + messages.length + preferences.length +
    moves.length;
}
