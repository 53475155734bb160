import { type Audience, type Choices, METADATA, NUMBER, type Source, type Sources } from "../draft.ts";
import type { Variables } from "../steps/agent_variables.ts";

/** The plan of a draft: the body of an upload as far as it is written, by whomever wrote it. */
export type Plan = Record<string, unknown>;

/** Returns the choices that a plan has. */
export function choicesOf(plan: Plan): Partial<Choices> {
  const columns = textsOf(plan.columns);
  const isCall = plan.channel === "voice";
  const isKept = (name: string) => name.startsWith(METADATA);
  const kept = Object.values(pick(columns, isKept));
  const used = pick(columns, (name) => !isKept(name));
  const given = {
    campaignName: text(plan.campaign_name),
    type: TYPES.find((type) => type === plan.notification_type),
    country: text(plan.country),
    audience: audienceOf(plan.audience),
    zone: text(plan.timezone),
    spreadHours: hoursOf(text(plan.spread_over)),
    duplicates: plan.duplicates === "accept" ? "accept" as const : undefined,
    ...startOf(plan),
    sources: sourcesOf(isCall ? pick(used, (name) => name === NUMBER) : used, plan.components_push),
    variables: isCall ? swapped(pick(used, (name) => name !== NUMBER)) : undefined,
    kept: kept.length > 0 ? kept : undefined,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

const TYPES = ["marketing", "utility", "transactional"] as const;

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function textsOf(value: unknown): Record<string, string> {
  return pick((value ?? {}) as Record<string, string>, (_, each) => typeof each === "string");
}

function pick(
  values: Record<string, string>,
  isKept: (name: string, value: string) => boolean,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => isKept(name, value)));
}

/** An agent's variables, by column. */
function swapped(columns: Record<string, string>): Variables {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [column, name]));
}

function sourcesOf(columns: Record<string, string>, values: unknown): Sources {
  const texts = Object.entries(textsOf(values)).map(([name, text]): [string, Source] => [name, {
    kind: "text",
    text,
  }]);
  const ofColumns = Object.entries(columns).map(([name, column]): [string, Source] => [name, {
    kind: "column",
    column,
  }]);
  return Object.fromEntries([...texts, ...ofColumns]);
}

function startOf({ recipient_time, datetime_sending }: Plan): Partial<Choices> {
  const at = text(datetime_sending)?.slice(0, 16);
  const hour = text(recipient_time)?.slice(0, 5).padStart(5, "0");
  if (hour) return { start: "recipient", hour, day: at?.slice(0, 10) ?? "" };
  return at ? { start: "later", at } : {};
}

function hoursOf(duration: string | undefined): number | undefined {
  const [, hours] = /^PT(\d+)H$/.exec(duration ?? "") ?? [];
  return hours === undefined ? undefined : Number(hours);
}

function audienceOf(value: unknown): Audience | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { list_id: listId, condition, except = [] } = value as {
    list_id?: string;
    condition?: { field?: string; op?: string; value?: unknown };
    except?: Audience["except"];
  };
  if (listId) return { kind: "list", listId, except };
  if (condition === undefined) return undefined;
  if (condition.field === "tag" && condition.op === "is") {
    return { kind: "tag", tag: String(condition.value), except };
  }
  return {
    kind: "condition",
    condition: condition as (Audience & { kind: "condition" })["condition"],
    except,
  };
}
