import { signal } from "@preact/signals";
import { companyId } from "../../data/company.ts";
import type { InboxConversation } from "../../data/sdk.ts";

/** The API lists no labels: those of the conversations that were read are offered. */
const known = signal<{ companyId: string; labels: string[] }>({ companyId: "", labels: [] });

/** Takes note of the labels of conversations. */
export function learnLabels(conversations: Pick<InboxConversation, "labels">[]): void {
  const company = companyId();
  const before = known.peek().companyId === company ? known.peek().labels : [];
  const labels = [...new Set([...before, ...conversations.flatMap((each) => each.labels)])].sort();
  if (labels.length > before.length || known.peek().companyId !== company) {
    known.value = { companyId: company, labels };
  }
}

/** Returns the labels that are known, with the one that is chosen. */
export function useKnownLabels(chosen?: string): string[] {
  const { labels } = known.value;
  return chosen && !labels.includes(chosen) ? [...labels, chosen].sort() : labels;
}
