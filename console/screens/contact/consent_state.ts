import type { Person } from "../../data/sdk.ts";

/** A suppression of a person, as the API returns it with the person. */
export interface PersonSuppression {
  address: string;
  channel: "any" | "whatsapp" | "voice";
  category: "marketing" | "all";
  source: "keyword" | "button" | "platform" | "api" | "import" | "operator";
  at: string;
  evidence: Record<string, unknown> | null;
  lifted_at: string | null;
  lifted_by: string | null;
}

/** A consent of a person. */
export interface PersonConsent {
  address: string;
  channel: "any" | "whatsapp" | "voice";
  category: "marketing" | "all";
  status: "granted" | "withdrawn";
  method: string;
  detail: string | null;
  consented_at: string;
  source: string;
}

/** Another address of a person, as the platform reported it. */
export interface PersonUserId {
  user_id: string;
  number: string | null;
  username: string | null;
  seen_at: string;
}

/** Returns the suppressions that count now, the newest first, each once however many addresses the person has. */
export function activeSuppressions(person: Pick<Person, "suppressions">): PersonSuppression[] {
  const now = suppressionsOf(person).filter(({ lifted_at }) => lifted_at === null);
  const seen = new Set<string>();
  return now.filter(({ channel, category, source }) => {
    const name = `${channel} ${category} ${source}`;
    return !seen.has(name) && seen.add(name);
  });
}

/** Returns all suppressions, lifted ones too, the newest first. */
export function suppressionsOf({ suppressions }: Pick<Person, "suppressions">): PersonSuppression[] {
  return (suppressions as unknown as PersonSuppression[]).toSorted((a, b) => b.at.localeCompare(a.at));
}

/** Returns all consents, the newest first. */
export function consentsOf({ consents }: Pick<Person, "consents">): PersonConsent[] {
  return (consents as unknown as PersonConsent[]).toSorted((a, b) =>
    b.consented_at.localeCompare(a.consented_at)
  );
}

/** Whether the latest consent is one. Only shown: the API decides per channel. */
export function isAgreed(consents: PersonConsent[]): boolean {
  return consents[0]?.status === "granted";
}

/** Returns the words of the evidence; undefined where none were recorded. */
export function evidenceOf({ evidence }: PersonSuppression): string | undefined {
  const text = evidence?.text ?? evidence?.detail ?? evidence?.label;
  return typeof text === "string" && text !== "" ? text : undefined;
}
