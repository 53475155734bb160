import { cellOfCompany, HOME_CELL } from "../_shared/cells.ts";
import { createExpiringMap } from "../_shared/concurrency/expiring_cache.ts";
import { readKnownAccounts } from "../_shared/db/queue/platform_events.ts";
import { readReference, readReplyReference } from "../_shared/dispatching/reference.ts";
import type { WebhookEvents } from "../_shared/gateways/whatsapp/parse_webhook.ts";
import { type Services, servicesOfAllCells, servicesOfCell } from "../_shared/services.ts";

/** The maximum delay after which an account's events reach a cell that has just added a sender of it. */
const ACCOUNT_MS = 5000;
const MAX_ACCOUNTS = 50_000;

/** Returns what each cell is to take of one request of the platform. */
export type SplitEvents = (events: WebhookEvents) => Promise<[Services, WebhookEvents][]>;

/**
 * Makes the function that splits the platform's events by cell. A status names the company in its reference. Any other
 * event goes to every cell that has a sender of its account, which all cells are asked once; what no cell knows is cell
 * 0's to judge. Fails where a cell does not answer that could know the account: the platform then sends again.
 */
export function createEventSplitter(services: Services): SplitEvents {
  if (services.otherCells.numbers.length === 0) return (events) => Promise.resolve([[services, events]]);
  const known = createExpiringMap<string, number[]>({ ttlMs: ACCOUNT_MS, maxEntries: MAX_ACCOUNTS });

  async function cellsOf(accounts: Set<string>): Promise<Map<string, number[]>> {
    const unknown = [...accounts].filter((account) => known.get(account) === undefined);
    if (unknown.length > 0) {
      const found = await Promise.all(
        servicesOfAllCells(services).map(async ({ cell, sql }) => ({
          cell,
          ids: await readKnownAccounts(sql, unknown),
        })),
      );
      for (const account of unknown) {
        const cells = found.filter(({ ids }) => ids.has(account)).map(({ cell }) => cell);
        if (cells.length > 0) known.set(account, cells);
      }
    }
    return new Map([...accounts].map((account) => [account, known.get(account) ?? [HOME_CELL]]));
  }

  return async (events) => {
    const { statuses, templates, accounts, messages, preferences, moves } = events;
    const byAccount = [
      ...statuses.filter(({ reference }) => companyIn(reference) === undefined),
      ...[templates, accounts, messages, preferences, moves].flat(),
    ];
    const cells = await cellsOf(new Set(byAccount.map(({ wabaId }) => wabaId)));
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
    return parts.filter(([, part]) => countEvents(part) > 0);
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
