import type { Store } from "../shared/open_store.ts";
import type { Ticket } from "./chat_api.ts";

const NAME = "conversation";

/** The conversation that was going on when the page was left. */
export function readTicket(store: Store): Ticket | undefined {
  try {
    const { id, token } = JSON.parse(store.get(NAME) ?? "");
    return typeof id === "string" && typeof token === "string" ? { id, token } : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the conversation for the next visit; undefined forgets it. */
export function writeTicket(store: Store, ticket: Ticket | undefined): void {
  if (ticket) store.set(NAME, JSON.stringify(ticket));
  else store.remove(NAME);
}
